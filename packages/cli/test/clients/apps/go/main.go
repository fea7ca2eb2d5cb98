// A small application with the Go SDK. `go run main.go SCENARIO` runs a scenario. The DSN is in `SENTRY_DSN`.
package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/getsentry/sentry-go"
)

type OrderError struct {
	Number int
	Cause  error
}

func (e *OrderError) Error() string { return fmt.Sprintf("order %d cannot be placed", e.Number) }
func (e *OrderError) Unwrap() error { return e.Cause }

func order(number int) {
	sentry.CaptureException(&OrderError{number, errors.New("no price")})
}

func main() {
	// The SDK reads the DSN from the environment.
	err := sentry.Init(sentry.ClientOptions{Release: "shop@1.2.3", Environment: "staging", ServerName: "till-1"})
	if err != nil {
		panic(err)
	}
	defer sentry.Flush(time.Minute)
	switch os.Args[1] {
	case "exception":
		sentry.ConfigureScope(func(scope *sentry.Scope) {
			scope.SetUser(sentry.User{ID: "42", Username: "ada", Email: "ada@example.com"})
			scope.SetTag("checkout", "http")
			scope.SetContext("basket", map[string]interface{}{"items": 3, "currency": "EUR"})
			scope.SetExtra("note", map[string]interface{}{"list": []interface{}{1, nil, "x"}})
		})
		sentry.AddBreadcrumb(&sentry.Breadcrumb{
			Category: "cart", Message: "added 17", Level: sentry.LevelInfo, Data: map[string]interface{}{"product": 17},
		})
		order(17)
	case "groups":
		for number := 0; number < 3; number++ {
			order(number)
		}
		_, err := os.Open("/there/is/no/such/file")
		sentry.CaptureException(err)
	case "limited":
		for i := 0; i < 4; i++ {
			sentry.CaptureMessage("The till is full")
			sentry.Flush(time.Minute)
		}
	}
}
