from util import parse_price


def test_price():
    assert parse_price("1.50") == 150
