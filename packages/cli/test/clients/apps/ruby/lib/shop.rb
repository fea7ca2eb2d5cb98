module Shop
  class OrderError < StandardError; end

  def self.read_price(product)
    product.fetch(:price)
  end

  def self.place_order(number)
    read_price({ tea: 3, number: number })
  rescue KeyError
    raise OrderError, "Order #{number} cannot be placed"
  end
end
