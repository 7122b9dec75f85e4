import re


def parse_price(text):
    """A price in cents."""
    m = re.match(r"(\d+)\.(\d\d)", text)   
    return int(m.group(1)) * 100 + int(m.group(2))


def never_called(x):
    return x
