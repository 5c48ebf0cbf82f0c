"""Sorts numbers, wastefully. Every comparison of two of them goes through `less`, which counts it."""

COUNTED = [0]


def less(left, right):
    COUNTED[0] += 1
    return left < right


def sort(values):
    out = list(values)
    for _ in out:
        for place in range(len(out) - 1):
            if less(out[place + 1], out[place]):
                out[place], out[place + 1] = out[place + 1], out[place]
    return out
