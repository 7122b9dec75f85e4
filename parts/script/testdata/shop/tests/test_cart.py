def test_old():
    pass
