package kubeconfig_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

// pluginMode is the environment variable under which this test's own program is
// a credential plugin, and what it does then.
const pluginMode = "WATCHGLASS_E2E_PLUGIN"

func TestMain(m *testing.M) {
	if mode := os.Getenv(pluginMode); mode != "" {
		if err := plugin(mode); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(7)
		}
		return
	}
	os.Exit(m.Run())
}

// plugin prints an ExecCredential, as client.authentication.k8s.io/v1 has it.
func plugin(mode string) error {
	status := make(map[string]string)
	switch mode {
	case "token":
		status["token"] = "of-the-plugin"
	case "certificate":
		for name, file := range map[string]string{"clientCertificateData": os.Args[1], "clientKeyData": os.Args[2]} {
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			status[name] = string(data)
		}
	case "cluster":
		var info struct {
			Spec struct{ Cluster struct{ Server string } }
		}
		if err := json.Unmarshal([]byte(os.Getenv("KUBERNETES_EXEC_INFO")), &info); err != nil {
			return err
		}
		status["token"] = "for-" + info.Spec.Cluster.Server
	default:
		return fmt.Errorf("log in first: %s", mode)
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": status,
	})
}
