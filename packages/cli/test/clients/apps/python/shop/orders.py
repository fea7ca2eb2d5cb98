class OrderError(Exception):
    pass


def read_price(product):
    return product["price"]["amount"]


def place_order(number):
    basket = {"tea": 3, "number": number}
    try:
        return read_price(basket)
    except KeyError as cause:
        raise OrderError(f"Order {number} cannot be placed") from cause
