import gc

from bot.importing import imported_for_good


def test_no_garbage_is_looked_for_while_modules_are_imported():
    with imported_for_good():
        assert not gc.isenabled()

    assert gc.isenabled()


def test_what_was_imported_is_never_looked_through_again():
    with imported_for_good():
        made = [[]]

    assert not any(each is made for each in gc.get_objects())
    gc.unfreeze()
