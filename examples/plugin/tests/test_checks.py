"""The plug-ins have the properties that the workbench relies on."""

from wb_logistic.files import LAB_NOTES
from wb_logistic.interval import HOEFFDING
from wb_logistic.mechanism import LOGISTIC_COUNT
from wb_logistic.page import LogisticPage
from wb_logistic.pair import logistic
from wb_logistic.report import plain_text

from workbench import testing


def test_pair():
    testing.check_pair(logistic(1.0))
    testing.check_pair(logistic(0.2))


def test_interval_keeps_its_level():
    assert testing.check_interval(HOEFFDING).kept


def test_page():
    testing.check_page(LogisticPage, "logistic")


def test_report_format():
    testing.check_report_format(plain_text, "txt")


def test_mechanism():
    testing.check_mechanism(LOGISTIC_COUNT)


def test_layout(tmp_path):
    path = tmp_path / "notes.csv"
    rows = (f"{i / 7},{i % 2}" for i in range(40))
    path.write_text("\n".join(["attack_loss,was_in", *rows]))
    testing.check_layout(LAB_NOTES, path)
