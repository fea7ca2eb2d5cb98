# A small application with the Ruby SDK. `ruby app.rb SCENARIO` runs a scenario. The DSN is in `SENTRY_DSN`.
require "logger"
require "sentry-ruby"
require_relative "lib/shop"

# The SDK reads the DSN from the environment. Without threads, it sends each event before it continues.
Sentry.init do |config|
  config.release = "shop@1.2.3"
  config.environment = "staging"
  config.server_name = "till-1"
  config.project_root = __dir__
  config.background_worker_threads = 0
  config.logger = Logger.new(nil)
end

def order(number)
  Shop.place_order(number)
rescue Shop::OrderError => e
  Sentry.capture_exception(e)
end

scenarios = {
  "exception" => lambda do
    Sentry.set_user(id: 42, username: "ada", email: "ada@example.com", plan: "gold")
    Sentry.set_tags(checkout: "rack")
    Sentry.set_context("basket", { items: 3, currency: "EUR" })
    Sentry.set_extras(note: { deep: { deeper: true }, list: [1, nil, "x"] })
    Sentry.add_breadcrumb(
      Sentry::Breadcrumb.new(category: "cart", message: "added 17", level: "info", data: { product: 17 })
    )
    order(17)
  end,
  "groups" => lambda do
    3.times { |number| order(number) }
    begin
      Shop.read_price({})
    rescue KeyError => e
      Sentry.capture_exception(e)
    end
  end,
  "limited" => -> { 4.times { Sentry.capture_message("The till is full", level: :warning) } }
}

scenarios.fetch(ARGV[0]).call
