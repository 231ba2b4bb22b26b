from bot.cli.replay import side_by_side


def test_columns_stand_beside_each_other():
    lines = side_by_side([("", "one", "two"), ("reply", "好的，明天早上八点提醒你", "ok")], 40)

    assert lines == ["       one              two", "reply  好的，明天早上   ok", "       八点提醒你"]


def test_the_lines_of_a_text_stay_lines():
    lines = side_by_side([("reply", "first\n\nthird", "")], 40)

    assert lines == ["reply  first", "", "       third"]
