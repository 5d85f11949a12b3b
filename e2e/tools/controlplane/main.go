// Program controlplane builds the etcd, kube-apiserver and further programs of Kubernetes that the tests run, if they are
// missing, and says how far it is. A test's own output is shown only at its end.
package main

import (
	"context"
	"log"
	"os"
	"os/signal"

	"watchglass/e2e/cluster"
)

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if _, err := cluster.Build(ctx, log.Printf); err != nil {
		log.Fatal(err)
	}
}
