"""Writes python.safetensors with the safetensors package (pip install safetensors==0.5.3 numpy): the independent writer that
safetensors_test.cpp reads. The expected values stand in the test."""

import pathlib
import struct

import numpy
from safetensors import serialize

float32 = numpy.array([[1.5, -2.0, 0.25], [3.0, 1e-3, -1e30]], dtype="<f4")
arrays = {
    "layer.weight": ("float32", float32.shape, float32.tobytes()),
    "layer.scale": ("float64", [], struct.pack("<d", 0.1)),
    "half": ("float16", [2], numpy.array([0.5, -65504.0], dtype="<f2").tobytes()),
    "brain": ("bfloat16", [2], struct.pack("<HH", 0x3FC0, 0xC000)),  # 1.5, -2.0
    "long": ("int64", [2], struct.pack("<qq", -1, 2**40)),
    "int": ("int32", [1, 2], struct.pack("<ii", -7, 2**31 - 1)),
    "byte": ("uint8", [3], bytes([0, 127, 255])),
    "truth": ("bool", [3], bytes([1, 0, 1])),
    "empty": ("float32", [0, 4], b""),
}
header = {name: {"dtype": dtype, "shape": list(shape), "data": data} for name, (dtype, shape, data) in arrays.items()}
out = pathlib.Path(__file__).with_name("python.safetensors")
out.write_bytes(serialize(header, {"made-by": "python safetensors"}))
