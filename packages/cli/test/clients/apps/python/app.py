"""A small application with the Python SDK. `python3 app.py SCENARIO` runs a scenario. The DSN is in `SENTRY_DSN`."""

import logging
import sys

import sentry_sdk
from shop.orders import OrderError, place_order, read_price

# The SDK reads the DSN from the environment. Its two seconds to send the last events are too short for a busy machine.
sentry_sdk.init(release="shop@1.2.3", environment="staging", server_name="till-1", dist="7", shutdown_timeout=60)


def order(number):
    try:
        place_order(number)
    except OrderError as error:
        sentry_sdk.capture_exception(error)


def exception():
    with sentry_sdk.configure_scope() as scope:
        scope.set_user({"id": 42, "username": "ada", "email": "ada@example.com", "plan": "gold"})
        scope.set_tag("checkout", "wsgi")
        scope.set_context("basket", {"items": 3, "currency": "EUR"})
        scope.set_extra("note", {"deep": {"deeper": True}, "list": [1, None, "x"], "nan": float("nan")})
        scope.add_attachment(bytes=b"Tea, 3 pcs.\n", filename="receipt.txt")
    sentry_sdk.add_breadcrumb(category="cart", message="added 17", level="info", data={"product": 17})
    order(17)


def uncaught():
    place_order(18)


def groups():
    for number in range(3):
        order(number)
        logging.getLogger("shop.till").error("Till %s is nearly full", number)
    try:
        read_price({})
    except KeyError as error:
        sentry_sdk.capture_exception(error)


def limited():
    for _ in range(4):
        sentry_sdk.capture_message("The till is full", level="warning")
        sentry_sdk.flush(60)


globals()[sys.argv[1]]()
