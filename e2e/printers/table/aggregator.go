package main

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	aggregator "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	apiservice "k8s.io/kube-aggregator/pkg/registry/apiservice/etcd"
)

func init() {
	elsewhere["APIService"] = struct {
		rest.TableConvertor
		*runtime.Scheme
	}{new(apiservice.REST), aggregator.Scheme}
}
