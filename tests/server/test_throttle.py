"""Wrong passwords: slowed, written down, and no reason to keep the owner of an account out."""

import asyncio
import logging
import random
import time

import pytest
from helpers.people import PASSWORD, QUICK, Team

from workbench.server.network.rates import TokenBuckets, networks
from workbench.server.operations import metrics
from workbench.server.people.accounts import Accounts
from workbench.server.people.checking.event_counts import EventCounts
from workbench.server.people.checking.fair_queue import (
    AT_ONCE,
    CALM,
    KNOWN,
    OTHER,
    PLACES,
    PLACES_EACH,
    CrowdedError,
    FairQueue,
)
from workbench.server.people.checking.password_check import (
    PasswordCheck,
    TryLaterError,
    WrongPasswordError,
)
from workbench.server.people.checking.passwords import Passwords
from workbench.server.people.checking.throttle import Attempt, Throttle
from workbench.server.people.person import Role
from workbench.server.storing.database import ServerDatabase

LOG = "workbench.server.people.checking.password_check"


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self):
        self.now = 1_000.0

    def __call__(self):
        return self.now


class Counted(Passwords):
    """Passwords that count how often one was checked."""

    def __init__(self):
        super().__init__(QUICK._hasher)
        self.checked = 0

    def verify(self, known, password):
        self.checked += 1
        return super().verify(known, password)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def passwords():
    return Counted()


@pytest.fixture
def accounts(passwords):
    made = Accounts(ServerDatabase(), passwords)
    made.add("Anna", Role.EDITOR, PASSWORD)
    made.add("Ben", Role.EDITOR, PASSWORD)
    return made


async def outcome(door, name, password, address, device=""):
    try:
        account = await door.enter(name, password, address, device)
    except WrongPasswordError:
        return "wrong"
    except TryLaterError as later:
        return "refused" if 1 <= later.seconds <= 200 else f"refused for {later.seconds} s"
    return account.name


def events(name):
    """How many events the metrics have counted."""
    return metrics.REGISTRY.get_sample_value("workbench_events_total", {"event": name}) or 0


# -- 10,000 wrong passwords ------------------------------------------------------------------------


def test_ten_thousand_wrong_passwords_of_one_network(accounts, passwords, clock, caplog):
    caplog.set_level(logging.INFO, LOG)
    door = PasswordCheck(accounts, clock)
    counted = {name: events(name) for name in ("sign_in", "sign_in_failed", "sign_in_refused")}
    seconds = 1_000  # ten attempts a second

    async def attack():
        found = {"wrong": 0, "refused": 0}
        for k in range(10_000):
            found[await outcome(door, "Anna", f"guess {k}", "203.0.113.9")] += 1
            clock.now += seconds / 10_000
            if k % 1_000 == 500:  # the owner, from elsewhere and from a known browser
                assert await outcome(door, "Anna", PASSWORD, "198.51.100.7") == "Anna"
                assert await outcome(door, "anna", PASSWORD, "203.0.113.9", "known") == "Anna"
        return found

    found = asyncio.run(attack())
    assert found["wrong"] == passwords.checked - 20
    assert found["wrong"] <= 5 + seconds / 30 + 1
    assert found["refused"] == 10_000 - found["wrong"]
    lines = [one for one in caplog.records if one.event in ("sign_in_failed", "sign_in_refused")]
    assert 4 <= len(lines) <= 10  # the 1st, 10th, 100th and so on
    assert {one.address for one in lines} == {"203.0.113.9"}
    assert max(one.count for one in lines) == 1_000
    grown = {name: events(name) - before for name, before in counted.items()}
    failed = {"sign_in_failed": found["wrong"], "sign_in_refused": found["refused"]}
    assert grown == {"sign_in": 20, **failed}  # the metrics count each
    text = caplog.text
    for secret in (PASSWORD, "guess", "Anna", accounts.find("Anna").key):
        assert secret not in text


def test_wrong_passwords_of_many_networks_use_up_the_strangers_share_only(accounts, clock):
    door = PasswordCheck(accounts, clock)

    async def attack():
        found = {"wrong": 0, "refused": 0}
        for k in range(10_000):
            address = f"10.{k // 65536}.{k // 256 % 256}.{k % 256}"
            found[await outcome(door, "Anna", "not it", address)] += 1
            clock.now += 0.1
        assert await outcome(door, "Anna", PASSWORD, "10.0.0.1", "known") == "Anna"
        assert await outcome(door, "Ben", PASSWORD, "198.51.100.7") == "Ben"
        return found

    found = asyncio.run(attack())
    assert found["wrong"] <= 100 + 1_000 / 10 + 1


def test_one_password_for_many_names_is_slowed_too(accounts, passwords, clock):
    door = PasswordCheck(accounts, clock)

    async def attack():
        for k in range(4_000):
            await outcome(door, f"name {k}", "password1234", f"2001:db8:1:2::{k}")
            clock.now += 0.25
        assert await outcome(door, "Ben", PASSWORD, "2001:db8:9::1") == "Ben"

    asyncio.run(attack())
    assert passwords.checked <= 100 + 1_000 / 2 + 2


def test_the_share_of_a_network_comes_back(accounts, clock):
    door = PasswordCheck(accounts, clock)

    async def tries(number):
        return [await outcome(door, "Anna", "not it", "203.0.113.9") for _ in range(number)]

    assert asyncio.run(tries(7)) == ["wrong"] * 5 + ["refused"] * 2
    clock.now += 31
    assert asyncio.run(tries(2)) == ["wrong", "refused"]
    clock.now += 24 * 3600
    assert asyncio.run(tries(6)) == ["wrong"] * 5 + ["refused"]


def test_a_class_behind_one_address_signs_in_at_once(accounts):
    """Fifty people, some of whom mistype once, do not use up the share of their network."""
    door = PasswordCheck(accounts)
    for k in range(50):
        accounts.add(f"student {k}", Role.EDITOR, PASSWORD)

    async def one(k):
        if k % 3 == 0:
            assert await outcome(door, f"student {k}", "oops, mistyped", "192.0.2.1") == "wrong"
        return await outcome(door, f"student {k}", PASSWORD, "192.0.2.1")

    async def arrive():
        return await asyncio.gather(*map(one, range(50)))

    assert asyncio.run(arrive()) == [f"student {k}" for k in range(50)]


def test_attempts_at_the_same_time_are_counted(accounts, passwords, clock):
    door = PasswordCheck(accounts, clock)

    async def burst():
        tries = [outcome(door, "Anna", f"guess {k}", "203.0.113.9") for k in range(500)]
        return await asyncio.gather(*tries)

    found = asyncio.run(burst())
    assert found.count("wrong") == passwords.checked == 5


# -- over HTTP, with hashes as they are ------------------------------------------------------------


@pytest.fixture(scope="module")
def team():
    made = Team(passwords=Passwords(), proxies=("127.0.0.1", "::1"))
    yield made
    made.close()


def test_the_owner_signs_in_while_others_guess(team, caplog):
    """Over HTTP: an attacker with four connections, and the owner from elsewhere and from a
    browser that has signed in before."""
    import threading

    before = time.perf_counter()
    caplog.set_level(logging.INFO)
    known = team.browser("Anna")
    alone = time.perf_counter() - before
    token = known.token("counts")
    known.post("sign-out", {"form": token})
    stop, answers = threading.Event(), []

    def guess(k):
        browser = team.browser()
        fields = {"form": browser.token("sign-in"), "name": "Anna"}
        for n in range(75):
            typed = {**fields, "password": f"guess {k} {n}"}
            status, headers, text = browser.post("sign-in", typed, **{"X-Forwarded-For": ATTACKER})
            answers.append(status)
            if status == 429:
                assert 1 <= int(headers["Retry-After"]) <= 30
                assert "too many wrong passwords. Try again in" in text
            if stop.is_set():
                return

    attackers = [threading.Thread(target=guess, args=(k,)) for k in range(4)]
    began = time.monotonic()
    for one in attackers:
        one.start()
    while len(answers) < 20:
        time.sleep(0.01)
    took = []
    for browser, forwarded in ((team.browser(), "198.51.100.7"), (known, ATTACKER)):
        fields = {"form": browser.token("sign-in"), "name": "Anna", "password": PASSWORD}
        before = time.perf_counter()
        status, _, text = browser.post("sign-in", fields, **{"X-Forwarded-For": forwarded})
        took.append(time.perf_counter() - before)
        assert status == 303, text
    for one in attackers:
        one.join(300)
    stop.set()
    assert len(answers) == 300
    assert set(answers) <= {401, 429}
    assert answers.count(401) <= 5 + (time.monotonic() - began) / 30 + 1
    refused = [one for one in caplog.records if getattr(one, "status", 0) == 429]
    assert refused == []  # the lines of `password_check` stand for them
    assert max(took) < max(20, 5 * alone), (took, alone)  # a wrong password waits up to 30 s


ATTACKER = "203.0.113.9"


# -- the parts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("203.0.113.9", ("203.0.113.9",)),
        ("::ffff:203.0.113.9", ("203.0.113.9",)),
        ("2001:db8:1:2:3:4:5:6", ("2001:db8:1:2::/64", "2001:db8:1::/48")),
        ("fe80::1%eth0", ("fe80::/64", "fe80::/48")),
        ("no address", ("no address",)),
    ],
)
def test_networks(address, found):
    assert networks(address) == found


def test_buckets_hold_no_more_keys_than_they_may(clock):
    buckets = TokenBuckets(5, 10.0, clock, most=100)
    for k in range(1_000):
        buckets.take(str(k))
    assert len(buckets) == 100
    assert not buckets.is_full("999")
    assert buckets.is_full("0")


@pytest.mark.parametrize("seed", range(5))
def test_a_bucket_never_gives_more_than_it_has(clock, seed):
    """Whatever the order of attempts, the bound holds over every stretch of time."""
    drawn = random.Random(seed)
    buckets, taken = TokenBuckets(5, 30.0, clock), []
    for _ in range(2_000):
        clock.now += drawn.expovariate(1 / 3)
        if buckets.wait("x") == 0:
            buckets.take("x")
            taken.append(clock.now)
    assert len(taken) > 100
    for k, first in enumerate(taken):
        for n, last in enumerate(taken[k:], start=1):
            assert n <= 5 + (last - first) / 30 + 1e-9


def test_what_was_no_failure_is_given_back(clock):
    throttle, attempt = Throttle(clock), Attempt("anna", networks("203.0.113.9"))
    for _ in range(1_000):
        assert throttle.admit(attempt) == 0
        throttle.give_back(attempt)
    assert throttle.is_calm(attempt)


def test_a_device_vouches_for_one_account_only(clock):
    throttle = Throttle(clock)
    known = Attempt("anna", networks("203.0.113.9"), "device")
    for _ in range(10):
        assert throttle.admit(known) == 0
    assert throttle.admit(known) == pytest.approx(10)  # a stolen cookie is no key
    assert throttle.admit(Attempt("anna", networks("203.0.113.9"))) == 0


def test_turns_are_given_by_urgency_and_in_fair_turns(clock):
    order = []

    async def visits():
        turns, end = FairQueue(clock), asyncio.Event()

        async def hold():
            loop = asyncio.get_running_loop()
            await turns.run(OTHER, "first", lambda: asyncio.run_coroutine_threadsafe(
                end.wait(), loop).result(30))  # fmt: skip

        async def one(urgency, network, name):
            await turns.run(urgency, network, lambda: order.append(name))

        held = [asyncio.create_task(hold()) for _ in range(AT_ONCE)]
        await asyncio.sleep(0.05)
        asked = [one(OTHER, "attacker", f"attack {k}") for k in range(6)]
        asked += [one(OTHER, "other", "other"), one(CALM, "owner", "elsewhere")]
        asked += [one(KNOWN, "owner", "known")]
        tasks = [asyncio.create_task(task) for task in asked]
        await asyncio.sleep(0.05)
        turns._running += AT_ONCE - 1  # one thread, so that the order is certain
        end.set()
        await asyncio.gather(*held)
        turns._running -= AT_ONCE - 1
        turns._next()
        await asyncio.gather(*tasks)

    asyncio.run(visits())
    assert order.index("known") <= AT_ONCE
    assert order.index("elsewhere") <= AT_ONCE + 1
    assert order.index("other") < order.index("attack 3")


async def until(condition):
    """Wait until something is so, which on a busy machine takes a while."""
    for _ in range(1200):
        if condition():
            return
        await asyncio.sleep(0.05)
    raise TimeoutError


def test_checks_per_second_are_bounded_but_for_known_browsers(clock):
    done = []

    async def visits():
        turns = FairQueue(clock)
        tasks = [
            asyncio.create_task(turns.run(CALM, str(k), lambda: done.append(1))) for k in range(100)
        ]
        await until(lambda: len(done) >= 60)
        await asyncio.sleep(0.3)
        assert len(done) == 60  # the clock stands still
        await asyncio.wait_for(turns.run(KNOWN, "0", lambda: None), 60)
        clock.now += 2
        await until(lambda: len(done) >= 70)
        await asyncio.sleep(0.3)
        assert len(done) == 70
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(visits())


def test_too_many_are_turned_away_the_least_urgent_first(clock):
    async def visits():
        turns = FairQueue(clock)
        turns._running = AT_ONCE  # nobody gets a turn
        full = [
            asyncio.create_task(turns.run(OTHER, str(k % 4), lambda: None)) for k in range(PLACES)
        ]
        await asyncio.sleep(0.05)
        with pytest.raises(CrowdedError):
            await turns.run(OTHER, "one more", lambda: None)
        owner = asyncio.create_task(turns.run(KNOWN, "owner", lambda: "in"))
        await asyncio.sleep(0.05)
        refused = [task for task in full if task.done()]
        assert [type(task.exception()) for task in refused] == [CrowdedError]
        turns._running = 0
        turns._next()
        assert await asyncio.wait_for(owner, 60) == "in"
        for task in full:
            task.cancel()
        await asyncio.gather(*full, return_exceptions=True)

    asyncio.run(visits())


def test_one_network_cannot_take_all_places(clock):
    async def visits():
        turns = FairQueue(clock)
        turns._running = AT_ONCE
        mine = [asyncio.create_task(turns.run(CALM, "one", int)) for _ in range(PLACES_EACH)]
        await asyncio.sleep(0.05)
        with pytest.raises(CrowdedError):
            await turns.run(CALM, "one", int)
        other = asyncio.create_task(turns.run(CALM, "two", int))
        await asyncio.sleep(0.05)
        assert not other.done()
        for task in (*mine, other):
            task.cancel()
        await asyncio.gather(*mine, other, return_exceptions=True)
        turns._running = 0
        assert await asyncio.wait_for(turns.run(CALM, "one", int), 60) == 0

    asyncio.run(visits())


def test_the_log_has_few_lines_of_many_events(clock):
    tally = EventCounts(clock)
    assert [k for k in range(1, 10_001) if tally.add("failed", "one")] == [
        1,
        10,
        100,
        1_000,
        10_000,
    ]
    due = sum(bool(tally.add("failed", str(k))) for k in range(10_000))
    assert due < 30  # of 10,000 networks
    clock.now += 2 * 3600
    assert tally.add("failed", "one") == 1  # counted from 0 again


def test_a_name_that_is_not_there_takes_as_long(tmp_path):
    accounts = Accounts(ServerDatabase())
    accounts.add("Anna", Role.EDITOR, PASSWORD)
    took = {"Anna": [], "Nobody": []}
    hashed = accounts.passwords.verify(None, "warm")
    assert not hashed
    for _ in range(3):
        for name, times in took.items():
            account = accounts.find(name)
            before = time.thread_time()
            assert not accounts.passwords.verify(account and account.password, "not it at all")
            times.append(time.thread_time() - before)
    known, unknown = (min(times) for times in took.values())
    assert known == pytest.approx(unknown, rel=0.5)
    assert min(known, unknown) > 0.001  # both were hashed: to find no name takes microseconds
