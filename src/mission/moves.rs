//! The moves of a step, where they read alike: each is a function of the file that is named after it.

/// Small state is kept aside and copied when it is first written, large tables by their undo logs.
macro_rules! kept_aside {
    ($($table:ident),* $(; $of_one_event:ident)?) => {
        fn begin(&mut self) {
            self.core.begin();
            $( self.$of_one_event.clear(); )?
        }

        fn touched(&self) -> bool {
            self.core.touched() $( || self.$table.touched() )*
        }

        fn commit(&mut self) {
            self.core.commit();
            $( self.$table.commit(); )*
        }

        fn rollback(&mut self) {
            self.core.rollback();
            $( self.$table.rollback(); )*
            $( self.$of_one_event.clear(); )?
        }
    };
}

/// What every protocol does in files of the same names.
macro_rules! same_moves {
    () => {
        fn apply(&mut self, context: &mut Context<'_>, fact: &Fact) -> Result<()> {
            apply::apply(self, context, fact)
        }

        fn decide(&self, head: &Head) -> (&'static str, Vec<Intent>) {
            decide::decide(self, head)
        }

        fn check(&self, head: &Head, everything: bool) -> Result<Continuation> {
            use $crate::mission::check as every;
            every::never_spends_beyond_a_limit(head)?;
            check::check(self, head, everything)?;
            let continuation = decide::continuation(self, head);
            every::never_waits_while_it_must_go_on(continuation, head).map(|()| continuation)
        }

        fn block(&mut self, problem: $crate::vocab::error::Diagnostic) {
            self.core.last_problem = Some(problem.clone());
            self.core.blocked = Some(problem);
        }

        fn claimants(&self) -> &'static [&'static str] {
            &role::CLAIMANTS
        }

        fn mission(&self) -> &str {
            &self.core.settings.mission
        }

        fn continuation(&self, head: &Head) -> Continuation {
            decide::continuation(self, head)
        }

        fn is_over(&self) -> bool {
            $crate::mission::standing::Stands::over(self)
        }

        fn why(&self, head: &Head) -> Why {
            explain::why(self, head)
        }

        fn view(&self, head: &Head) -> View {
            explain::view(self, head)
        }
    };
}

pub(crate) use {kept_aside, same_moves};
