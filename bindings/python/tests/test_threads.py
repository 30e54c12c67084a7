"""Tests that threads work at the same time: calls release the interpreter's lock, and threads can share an encoder."""

import os
import threading
import time
import unittest

import numpy
import posenc


class Threads(unittest.TestCase):
    def test_the_lock_is_released(self):
        """A thread counts while another thread is in one long call. It could not count if the call held the lock."""
        encoder = posenc.Encoder(1024)
        out = numpy.ones((20000, 1024), "float64")
        counted, stop = [0], threading.Event()

        def count():
            while not stop.is_set():
                counted[0] += 1
                time.sleep(0.0005)

        counter = threading.Thread(target=count)
        counter.start()
        while not counted[0]:
            time.sleep(0.001)
        before, started = counted[0], time.perf_counter()
        encoder.table(len(out), out=out)
        took, during = time.perf_counter() - started, counted[0] - before
        stop.set()
        counter.join()
        print(f"counted {during} times during a call of {1000 * took:.0f} ms")
        self.assertGreater(during, 5)

    def test_the_same_bits(self):
        encoder, rotary = posenc.Encoder(256), posenc.Rotary(64)
        table, q = encoder.table(500), numpy.ones((50, 4, 64), "float32")
        want = rotary.rotate_(q.copy())
        wrong = []

        def work():
            for _ in range(200):
                x = numpy.zeros((500, 256), "float32")
                if not (encoder.add_(x) == table).all() or not (rotary.rotate_(q.copy()) == want).all():
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    @unittest.skipIf((os.cpu_count() or 1) < 2, "SKIPPED: one core")
    def test_two_are_faster(self):
        """Prints how much faster two threads are. This is not required, because the machine may have other work."""
        encoder, outs = posenc.Encoder(512), [numpy.ones((2000, 512), "float32") for _ in range(2)]

        def seconds(work):
            best = 1e9
            for _ in range(5):
                started = time.perf_counter()
                work()
                best = min(best, time.perf_counter() - started)
            return best

        def one(out):
            for _ in range(50):
                encoder.table(2000, out=out)

        def two():
            threads = [threading.Thread(target=one, args=[out]) for out in outs]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        print(f"two threads are {2 * seconds(lambda: one(outs[0])) / seconds(two):.2f} times one")


if __name__ == "__main__":
    unittest.main()
