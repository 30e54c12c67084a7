"""The table that notebooks make in six lines, in one; and rotary embeddings, which see distances only."""

import numpy
import posenc

table = posenc.table(5000, 512)

position = numpy.arange(5000, dtype="float32")[:, None]
phase = position * numpy.exp(numpy.arange(0, 512, 2, dtype="float32") * numpy.float32(-numpy.log(10000) / 512))
notebook = numpy.empty((5000, 512), "float32")
notebook[:, 0::2] = numpy.sin(phase)
notebook[:, 1::2] = numpy.cos(phase)
print(f"the six lines are wrong by up to {abs(notebook - table).max():.0e}")

rope = posenc.Rotary(128, preset="llama3")
for position in 3, 100_000:
    query = numpy.linspace(0, 1, 128, dtype="float32").reshape(1, 1, 128)  # [tokens, heads, elements]
    key = numpy.ones((1, 1, 128), "float32")
    rope.rotate_(query, first=position)
    rope.rotate_(key, first=position - 3)
    print(f"{(query * key).sum():.4f}: a query at {position}, and a key 3 before it")
# prints: the six lines are wrong by up to 4e-04
# prints: 54.7795: a query at 3, and a key 3 before it
# prints: 54.7795: a query at 100000, and a key 3 before it
