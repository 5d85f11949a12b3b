package attack_test

import (
	"log/slog"
	"os"
	"testing"

	"k8s.io/klog/v2"
)

func TestMain(m *testing.M) {
	klog.SetSlogLogger(slog.New(slog.DiscardHandler)) // the apiserver's parser tells of all that it cannot read
	os.Exit(m.Run())
}
