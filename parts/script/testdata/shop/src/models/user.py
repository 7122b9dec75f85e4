class User:
    """A user of the shop."""

    def __init__(self, name):
        self.name = name

    def greet(self):
        return "hello " + self.name


class Guest(User):
    pass
