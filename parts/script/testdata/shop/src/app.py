import os
import sys
from util import parse_price


def main():
    """Print the price of each argument."""
    for arg in sys.argv[1:]:
        print(parse_price(arg))  # TODO: currency


def home():
    return os.getcwd()
