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

/// What every protocol does alike, or in files of the same names.
macro_rules! same_moves {
    () => {
        fn apply(
            &mut self,
            context: &mut $crate::mission::Context<'_>,
            fact: &$crate::vocab::event::Fact,
        ) -> $crate::vocab::error::Result<()> {
            $crate::mission::life::apply(self, context, fact)
        }

        fn block(&mut self, problem: $crate::vocab::error::Diagnostic) {
            self.core.life.block(problem);
        }

        fn check_report(
            &self,
            role: &str,
            text: &str,
        ) -> $crate::vocab::error::Result<Vec<String>> {
            $crate::mission::life::Particular::notes(self, role, text)
        }

        fn decide(
            &self,
            head: &$crate::mission::Head,
        ) -> (&'static str, Vec<$crate::mission::Intent>) {
            $crate::mission::dispatch::decide(self, head)
        }

        fn continuation(&self, head: &$crate::mission::Head) -> $crate::mission::Continuation {
            $crate::mission::dispatch::Dispatch::goes_on(self, head)
        }

        fn why(&self, head: &$crate::mission::Head) -> $crate::why::Why {
            $crate::mission::dispatch::why(self, head)
        }
        fn check(
            &self,
            head: &$crate::mission::Head,
            everything: bool,
        ) -> $crate::vocab::error::Result<$crate::mission::Continuation> {
            use $crate::mission::check as every;
            every::never_spends_beyond_a_limit(head)?;
            $crate::mission::life::check(self, head)?;
            check::check(self, head, everything)?;
            let continuation = $crate::mission::Protocol::continuation(self, head);
            every::never_waits_while_it_must_go_on(continuation, head).map(|()| continuation)
        }

        fn claimants(&self) -> &'static [&'static str] {
            &role::CLAIMANTS
        }

        fn mission(&self) -> &str {
            &self.core.settings.mission
        }

        fn is_over(&self) -> bool {
            $crate::mission::standing::Stands::over(self)
        }

        fn view(&self, head: &$crate::mission::Head) -> $crate::view::View {
            explain::view(self, head)
        }
    };
}

/// The moves of a protocol whose items are the rows of `$table`.
macro_rules! of_items {
    ($table:ident) => {
        fn settle(&mut self, head: &$crate::mission::Head) {
            self.settle_all(head);
        }

        fn render(
            &self,
            head: &$crate::mission::Head,
            path: &str,
        ) -> $crate::vocab::error::Result<String> {
            files::render(self, head, path)
        }

        fn criteria(&self, item: &str) -> Option<&[$crate::vocab::criterion::Criterion]> {
            self.$table.get(item).map(|one| one.criteria.as_slice())
        }
    };
}

pub(crate) use {kept_aside, of_items, same_moves};
