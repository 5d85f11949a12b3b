// Package once finds, in the sources of the end-to-end tests, comparisons with what a page showed at one moment. A page paints
// a moment after it hears, so such a test fails now and then. It takes parsed files, and hands back where they compare so.
// stage.Is, stage.AwaitValue and what else waits is not looked for, nor is stage.Now, by which a test says that it compares at
// once on purpose. It stands beside the tests, and reaches nothing but the syntax.
package once

import (
	"go/ast"
	"go/token"
	"slices"
)

// evaluations are the names of what looks at a page once, with how many arguments each takes.
var evaluations = map[string]int{"Eval": 2, "Text": 1, "Cell": 2, "Rows": 0, "Inspect": 0, "State": 0}

// finder finds comparisons in a package.
type finder struct {
	returning map[string]bool // the functions of the package that return an evaluation
	found     map[token.Pos]bool
}

// Find returns the positions of the evaluations in a package that are compared at once, in order.
func Find(files []*ast.File) []token.Pos {
	f := finder{returning: make(map[string]bool), found: make(map[token.Pos]bool)}
	for more := true; more; {
		more = false
		for _, d := range functions(files) {
			if name := d.Name.Name; name != "Now" && !f.returning[name] && f.returns(d) {
				f.returning[name], more = true, true
			}
		}
	}
	for _, d := range functions(files) {
		ast.Inspect(d.Body, f.visit)
	}
	all := make([]token.Pos, 0, len(f.found))
	for at := range f.found {
		all = append(all, at)
	}
	slices.Sort(all)
	return all
}

func functions(files []*ast.File) (all []*ast.FuncDecl) {
	for _, file := range files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				all = append(all, d)
			}
		}
	}
	return all
}

// returns reports whether a function returns an evaluation, or something that it makes of one. Its callers then look once.
func (f finder) returns(d *ast.FuncDecl) (found bool) {
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			for _, result := range n.Results {
				found = found || len(f.within(result)) > 0
			}
		}
		return true
	})
	return found
}

// visit notes what a node compares. It leaves out functions that return a bool, since whoever they are given to asks them
// until it is true, and what a function returns, since the question is then what its caller does with it.
func (f finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncLit:
		return !isCondition(n)
	case *ast.ReturnStmt:
		return false
	case *ast.BinaryExpr:
		if compares(n.Op) {
			f.note(f.within(n))
		}
	case *ast.IfStmt:
		f.decide(n.Cond, []ast.Stmt{n.Init})
	case *ast.SwitchStmt:
		f.decide(n.Tag, []ast.Stmt{n.Init})
	case *ast.ForStmt:
		f.decide(n.Cond, nil)
	case *ast.BlockStmt:
		f.sequence(n.List)
	case *ast.CaseClause:
		f.sequence(n.Body)
	}
	return true
}

func compares(op token.Token) bool {
	return slices.Contains([]token.Token{token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ}, op)
}

// sequence notes what is assigned just before a statement that decides by it.
func (f finder) sequence(list []ast.Stmt) {
	var before []ast.Stmt
	for _, s := range list {
		switch s := s.(type) {
		case *ast.AssignStmt:
			before = append(before, s)
			continue
		case *ast.IfStmt:
			f.decide(s.Cond, before)
		case *ast.SwitchStmt:
			f.decide(s.Tag, before)
		}
		before = nil
	}
}

// decide notes the evaluations in a condition, and those in assignments before it of what it names.
func (f finder) decide(condition ast.Expr, before []ast.Stmt) {
	if condition == nil {
		return
	}
	f.note(f.within(condition))
	for _, s := range before {
		a, ok := s.(*ast.AssignStmt)
		if !ok {
			continue
		}
		for i, right := range a.Rhs { // of several results, the first is what was seen
			if name, ok := a.Lhs[i].(*ast.Ident); ok && names(condition, name.Name) {
				f.note(f.within(right))
			}
		}
	}
}

func (f finder) note(all []token.Pos) {
	for _, at := range all {
		f.found[at] = true
	}
}

// within returns where an expression looks at a page, but in functions that it contains.
func (f finder) within(e ast.Expr) (all []token.Pos) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if name, ok := called(n.Fun); ok {
				if most, is := evaluations[name]; is && len(n.Args) == most || f.returning[name] {
					all = append(all, n.Pos())
				}
			}
		}
		return true
	})
	return all
}

// called is the name of the function or method that is called.
func called(e ast.Expr) (name string, ok bool) {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name, true
	case *ast.SelectorExpr:
		return e.Sel.Name, true
	case *ast.IndexExpr:
		return called(e.X)
	}
	return "", false
}

// isCondition reports whether a function returns a bool and nothing else.
func isCondition(f *ast.FuncLit) bool {
	results := f.Type.Results
	if results == nil || len(results.List) != 1 {
		return false
	}
	one, ok := results.List[0].Type.(*ast.Ident)
	return ok && one.Name == "bool" && len(results.List[0].Names) < 2
}

// names reports whether an expression names a variable.
func names(e ast.Expr, name string) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			found = true
		}
		return true
	})
	return found
}
