package cluster

import (
	"encoding/json"
	"strings"

	"watchglass/internal/wire"
)

// user is the identity that the apiserver authenticated.
type user struct{ name, groups string }

// userQuestion asks the apiserver who the user is, once for each connection: a kubeconfig may have other credentials
// under the same name by then. A plugin may return others without a new connection: see refreshUser.
type userQuestion struct {
	user
	connection *wire.Welcome
}

// UserName returns the user's name; "" until the apiserver has answered.
func (c *Cluster) UserName() string { return c.user.name }

// askUser asks who the user is, unless that was asked on this connection. Until the apiserver answers, and where it lacks
// that API, the name in the kubeconfig has to do.
func (c *Cluster) askUser() {
	link := c.Client.Link()
	if link.Welcome == nil || !link.Connected || c.user.connection == link.Welcome {
		return
	}
	c.user.connection = link.Welcome
	c.Start(func() {
		for wait := discoverFirst; c.Ctx.Err() == nil && c.Client.Link().Welcome == link.Welcome; wait = min(2*wait, DiscoverMost) {
			u, answered := c.readUser()
			c.Post(c.Ctx, func() { c.setUser(link.Welcome, u) })
			if answered {
				return
			}
			pause(c.Ctx, wait, nil)
		}
	})
}

// refreshUser asks again. Any goroutine but the loop's may call it: it waits.
func (c *Cluster) refreshUser() {
	connection := c.Client.Link().Welcome
	if u, answered := c.readUser(); answered {
		c.Post(c.Ctx, func() { c.setUser(connection, u) })
	}
}

// setUser stores an answer, unless another connection has been asked since.
func (c *Cluster) setUser(connection *wire.Welcome, u user) {
	if c.user.connection == connection {
		c.user.user = u
	}
}

// readUser returns who the user is, and whether the apiserver has answered: it need not know. Any goroutine but the
// loop's may call it: it waits.
func (c *Cluster) readUser() (u user, answered bool) {
	doc, err := c.Client.Get(c.Ctx, wire.Request{Verb: wire.Review, Resource: "selfsubjectreviews"})
	if err != nil {
		status := wire.StatusOf(err)
		return user{}, status != nil && (status.NotFound() || status.Code == 403)
	}
	var review struct {
		Status struct {
			UserInfo struct {
				Username string   `json:"username"`
				Groups   []string `json:"groups"`
			} `json:"userInfo"`
		} `json:"status"`
	}
	if json.Unmarshal(doc, &review) != nil {
		return user{}, true
	}
	return user{review.Status.UserInfo.Username, strings.Join(review.Status.UserInfo.Groups, ",")}, true
}
