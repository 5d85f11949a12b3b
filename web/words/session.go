package words

// AuthModes describe how users are authenticated.
var AuthModes = map[string]string{
	"local": "The proxy runs on your machine and uses your kubeconfig's credentials.",
	"token": "You signed in with a token. The proxy uses only that token to access the cluster.",
	"oidc":  "You signed in with an identity provider. The proxy acts as you in the cluster.",
	"proxy": "A reverse proxy in front of Watchglass signed you in. The proxy acts as you in the cluster.",
}
