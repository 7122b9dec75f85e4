package history

// PlanUndo, PlanTo and PlanRedo are what most tests wish for.
func (s *Store) PlanUndo(id string) (*Plan, error) { return s.Plan(Wish{ID: id}) }
func (s *Store) PlanTo(id string) (*Plan, error)   { return s.Plan(Wish{To: id}) }
func (s *Store) PlanRedo() (*Plan, error)          { return s.Plan(Wish{Kind: Redo}) }
