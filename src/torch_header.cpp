// Carries the precompiled src/torch.h for every target that uses LibTorch.
