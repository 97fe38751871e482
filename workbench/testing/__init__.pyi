"""The public names: each is imported on first use; type checkers read this file."""

from . import record as record
from .assertions import AuditFailure as AuditFailure
from .assertions import assert_no_violation as assert_no_violation
from .assertions import assert_not_refuted as assert_not_refuted
from .assertions import check_must_detect as check_must_detect
from .assertions import claim_of as claim_of
from .claims import check_claim as check_claim
from .failure import CheckFailure as CheckFailure
from .intervals import LevelCheck as LevelCheck
from .intervals import check_interval as check_interval
from .layouts import check_layout as check_layout
from .mechanisms import check_mechanism as check_mechanism
from .pages import check_page as check_page
from .pages import check_report_format as check_report_format
from .pairs import check_pair as check_pair
from .testers import check_tester as check_tester
