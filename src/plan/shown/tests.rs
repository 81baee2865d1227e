//! Commands that cannot fail.

use super::*;

fn by(command: &str, expect: Expectation) -> Option<Shown> {
    Some(Shown::By { command: command.to_owned(), expect })
}

/// Lines by their status: `+` tells how its commands went, `-` cannot fail or throws away how one of them went.
const TABLE: &str = r#"
- make test; true
- make test;true
- make test|tee log.txt
- make test |& tee log.txt
- make test || exit 0
- make test || true
- make test||:
- make test || echo failed
- make lint; echo done
- npm test || true; ls
- make test; echo $?
- make a; make b
- make test &
- make test & wait
- ( make test || true )
- (make test || true)
- { make test; true; }
- bash -c 'make test; true'
- grep pipefail x | tee log
- make test | tee log; set -o pipefail
- set -o pipefail; set +o pipefail; make test | tee log
- for f in *.sh; do sh $f; done
+ for f in *.sh; do sh $f || exit 1; done
- if make test; then echo yes; fi
- if make test; then :; fi
- if ! make test; then exit 1; fi
- while make test; do exit 1; done
- until make test; do sleep 1; done
- case $x in a) make test;; esac
- set -e; if make test; then :; fi
- set +e; make test; true
- make test # || exit 1; true~true
- make test || /bin/true
- make test || env true
- make test || command true
- make test || ! false
- make test || test 1
- make test || [ 1 ]
- make test || date
- make test || sleep 0
- make test || make -v
- make test || make check
- test -f a || test -f b
- make test || exit $code
- make test || exit 256
- make test || { echo broken; exit; }
- make test || { test -f x && exit 0; exit 1; }
- make test || (exit 0; false)
- make test || true && make b
- make test || exit 1 || true
- make a && exit 0 && make b
- trap 'exit 0' EXIT; make test
- make test && trap - EXIT && true
- x=$(make test); echo $x
- echo $(make test)
- echo $(make test) && make b
- eval 'make test || true'
- nohup make test &
- timeout 60 bash -c 'make test || true'
- docker run image sh -c 'make test; true'
- set -e; make a && make b; make c
- set -e; ! make a; make b
- (set -e; make a; make b) || exit 1
- { set -e; make a; true; } && make b
- (set -e; make test; true); make b || true
- make test | true && make b
- [[ 1 ]]
- [[ a || false ]] || true
- true
- /bin/true
- env true
- test 1
- make test || \~true
- make test ||~~true
- make test; exit
- grep -L x a
- grep -rL x src
- grep -qL x a
- ! grep -L x a
- grep --files-without-match x a
- git grep -L x
- cd a && grep -L x b
- set -o pipefail; grep -L x a | cat
- X=$(grep -L x a)
+ grep -eL a
+ grep -x -- -L a
+ rg -L x a
+ test -z "$(grep -L x a)"
+ grep -L x a b | grep -q b
- f() { make test; true; }; f
+ make test
+ make test 'a; true'
+ make "a || true"
+ make a '|| true' "; true" \; true
- find . -name x -exec grep -q y {} \;
+ find . -name x -exec grep -q y {} +
+ test "$(ls | wc -l)" = 3
+ test $(make list || true) = 3
+ test -n "$x"
+ [[ -f a || -f b ]]
+ x=$(make test)
+ cd app && make test
- cd app; make test
+ cd app && make test
- make -i test
- make -kn test
- make --dry-run
- make -iB test
- make -Bn test
- make -nj4 test
- MAKEFLAGS=-i make test
- MAKEFLAGS=ik make test
- env MAKEFLAGS=-i make test
- make MAKEFLAGS=-i test
- export MAKEFLAGS=-i && make test
- docker compose run --rm app make -i test
- docker run --rm -v .:/src image make -C /src -n test
- ssh host 'cd app; make test'
- ssh -p 22 me@host make test || true
- ssh -i key host 'make test | tail -5'
- ssh host make -i test
- npx jest --passWithNoTests=true
- jest --passWithNoTests=true
- ruff check -e .
- pylint --fail-under=0 src
- pylint --fail-under 0.0 src
- hadolint --no-fail Dockerfile
- golangci-lint run --issues-exit-code=0
- trivy fs --exit-code 0 .
- trivy fs --exit-code=0 .
- just -n test
- ninja -n
- ninja -C out -nv
- rake -n test
- cargo publish --dry-run
- git push --dry-run
+ python3 manage.py makemigrations --check --dry-run
+ clang-format --dry-run -Werror a.c
- mvn --fail-never test
- mvn -fn test
- ./mvnw package -DskipTests
- mvn test -Dmaven.test.failure.ignore=true
- pytest --collect-only
- python3 -m pytest --co
- PYTEST_ADDOPTS=--collect-only pytest
+ cargo test --no-run
- cargo test -- --list
- npx playwright test --list
+ make -Cinner test
+ make -f int.mk -j4 -k test
+ make -j 4 test
+ MAKEFLAGS=-j4 make test
+ sort -n f
+ head -n 3 f
+ npm i -D x
+ grep -q -- --dry-run README
+ grep -rq -e --no-fail docs
+ git grep -q -e --dry-run
+ rg -- --exit-zero src
+ test "$x" = --dry-run
+ git diff --exit-code
+ trivy fs --exit-code 1 .
+ pylint --fail-under=9 src
+ jest --passWithNoTests=false
+ mvn package -DskipTests=false
+ cargo test --no-fail-fast
+ ./app --list
+ cargo test -- --list | grep -q name
+ ssh host 'cd app && make test'
+ ssh -p 22 host make test
+ ssh host
+ docker compose run --rm app make test
+ docker run image grep -n x f
+ just test
+ bash -n x.sh
+ perl -n x.pl
+ make -C inner test
- ruff check --exit-zero
- npm run lint --if-present
+ cd app || exit 1; make test
+ rm -f log || true; make test
+ mkdir -p x || true; make test && echo ok
+ make a && make b
+ make a &&~  make b
+ make test 2>&1 > log
+ make test && echo ok
+ make test && exit 0
+ make test || exit 1
+ make test || exit
+ make test || exit $?
+ make test || return 1
+ make test || false
+ make test || /bin/false
+ make test || { echo broken; exit 1; }
+ make test || { cat log; false; }
+ make test || (echo broken && exit 1)
+ make test || bash -c 'echo broken; exit 2'
+ make a || exit 1; make b
+ make a || exit 1~make b || exit 2~make c
+ { make test; }
+ (make test)
- { cd app; make test; }
+ { cd app && make test; }
+ set -o pipefail; make test | tee log
+ set -euo pipefail; make a; make b | tee log; echo ok
+ set -e; make a && make b
+ set -e; (make a; make b); make c
+ bash -o pipefail -c 'make test | tee log'
+ bash -ec 'make a; make b'
+ env CI=1 make test
+ timeout 60 bash -c 'make test'
- make test | grep -q passed
+ cat log | grep -q passed
+ ! grep -q x src/a
+ test -f a && ! grep -q x a
+ ! test -f a && make test
+ test -z "$(git status --porcelain)"
+ [ -z "$(grep -rn TODO src)" ]
- ! make test
- ! bin/nosuch foo && make test
- ! (bin/nosuch foo)
- ! cat nofile | grep -q x
- make a && ! bin/nosuch foo
- bash -c '! bin/nosuch foo'
- test -z "$(bin/nosuch foo)"
- [ "$(bin/nosuch | wc -l)" = 0 ]
+ make test # || true
+ make test # it's; true
"#;

#[test]
fn the_status_of_a_line_is_known() {
    for (place, row) in TABLE.lines().enumerate().filter(|(_, row)| !row.is_empty()) {
        let (tells, line) = row.split_at(2);
        // A `~` stands for the end of a line.
        let line = line.replace('~', "\n");
        assert_eq!(is_mute(&line), tells == "- ", "row {place}: {line:?}");
    }
}

/// What shows nothing is said to show nothing, also where words of the shell stand around it.
#[test]
fn commands_that_cannot_fail_show_nothing() {
    for text in [
        "`make test; true` passes",
        "`make test|tee log.txt` exits 0",
        "`make test || exit 0`",
        "`make lint; echo done` succeeds",
        "`npm test || true; ls` passes",
        "`make test; echo $?` exits 0",
        "`(make test || true)` exits 0",
        "`{ make test; true; }` exits 0",
        "`if make test; then :; fi` exits 0",
        "`set +e; make test; true` exits 0",
        "`x=$(make test); echo $x` exits 0",
        "`echo $(make test)` exits 0",
        "`eval 'make test || true'` exits 0",
        "`for i in 1; do make test; break; done` exits 0",
        "`while make test; do break; done` exits 0",
        "`trap 'exit 0' EXIT; make test` exits 0",
        "`make -n test || date` exits 0",
    ] {
        let why = shown(text);
        assert!(matches!(why, Some(Shown::NotBy(MUTE | PIPED | WAYS))), "{text}: {why:?}");
    }
}

/// A failure must be the one of the program it was said of.
#[test]
fn what_must_fail_is_sure_of_its_first_program() {
    for text in [
        "`cat nofile | grep TODO` returns no matches",
        "`cat nofile|grep TODO` finds nothing",
        "`cat nofile | grep TODO` returns nothing",
        "`grep -rn TODO $(cat list)` returns no matches",
        "`cat nofile | wc -l` returns 0",
        "`cat nofile | grep -q TODO` fails",
        "`make tools && make test` fails",
        "`cat nofile | grep -q TODO` exits with status 1",
    ] {
        assert_eq!(shown(text), Some(Shown::NotBy(MUTE)), "{text}");
    }
    let text = "`grep -n 'a | b; c' src/x` returns no matches";
    assert_eq!(shown(text), by("grep -n 'a | b; c' src/x", Expectation::Status { code: 1 }));
}
