// Package console shows in a browser what the tools of a kit do, and asks the person there.
//
// A [Hub] stands around the calls of a kit: it keeps the last of them, and holds the questions that wait for an answer.
// [Hub.Handler] serves the page and its data below /console/, behind a login of its own:
//
//	hub := &console.Hub{}
//	kit := registry.Kit(tool.KitOptions{
//		Around: []func(tool.Caller) tool.Caller{hub.Around}, // the outermost, so that refusals are seen, too
//		Watch:  hub.Watch,
//		Ask:    hub.Asker(nil),
//	})
//	login := console.NewLogin()
//	page, err := hub.Handler(console.Options{Login: login})
//	if err != nil {
//		log.Fatal(err)
//	}
//	fmt.Println("http://127.0.0.1:8080/console/#token=" + login.Token())
//
// The page is files that the program carries: nothing is built, nothing is loaded from elsewhere. Everything that comes
// from calls is written as text. [Metrics] are for Prometheus.
package console
