//! Pipes, scripts, and lines of fences: which of them show something.

use super::fence::Line;
use super::*;
use crate::plan::model::Expectation;

/// Lines whose pipe throws away how the program before it went.
const PIPES: &str = r#"
./pytest.sh | grep passed
make test 2>&1 | grep -v warning
make test 2>&1 | grep "failing\|test result"
cargo test | awk '{print}'
cargo test 2>&1 | tail -20
make test | tee log
npm test | tail -5
xcodebuild -scheme App test | xcbeautify
swift test | xcpretty && echo ok
make list-x | make check | grep -q x
make test | xargs echo
make test | sort | grep -q x
cat x | make test | grep -q ok
find . -name '*.sh' -exec sh {} \; | grep -q ok
(make a; make b) | grep -q x
bash -c 'make test' | grep -q ok
cargo run -- --help | grep -q serve
diff a b | head -5
cd app && make test | grep -q ok
git diff --check | grep -q x
timeout 60 make test | grep -q ok
test "$(make test | tail -1)" = ok
[ "$(cargo test 2>&1 | grep -c ok)" -gt 3 ]
[[ $(make test | tail -1) == ok ]]
make a && make test | cat
{ make test; } | tail
> log make test | grep -q ok
2> log make test | grep -q ok
sh -c 'make test | tail -3'
awk 'BEGIN{system("make test")}' | grep -q ok
docker run --rm img make test | grep -q ok
npm run get | grep -q ok
ls | xargs -n1 make | tail -1
printf x | make test | grep -q ok
"#;

/// Lines with a pipe that show something.
const TOLD: &str = r#"
cat f | grep -q x
grep -c x f | grep -q 3
grep x f | grep -v y
curl -s localhost/health | jq -e .ok
curl -sf localhost | grep -q title
./app --help | grep -q serve
./app --version 2>&1 | grep -q 1.2
./app serve --help | grep -q port
git log --oneline | grep -q fix
git -C app status --porcelain | grep -q x
git ls-files | xargs grep -q x
find . -name '*.sh' | xargs shellcheck
find . -name '*.sh' -print0 | xargs -0 -n 1 sh -n
ls dist | sort | grep -q main.js
ps aux | grep -q server
docker ps | grep -q web
docker compose ps | grep -q healthy
kubectl get pods | grep -q Running
cargo metadata --no-deps | jq -e .packages
npm ls | grep -q react
echo '{}' | ./app check
printf 'a' | cmp - b
env | grep -q HOME
(cd app && ls) | grep -q x
{ cat a; cat b; } | grep -q x
bash -c 'ls | sort' | grep -q x
echo $(git log -1) | grep -q fix
set -o pipefail; make test | grep -v warning
set -o pipefail; cargo test 2>&1 | tail -20
set -o pipefail; make test | tee log | tail -5
bash -o pipefail -c 'make test | tail -5'
awk '/x/{f=1} END{exit !f}' a
cat a | awk '/x/{f=1} END{exit !f}'
cargo test 2>&1
cd x && make test
test "$(make version)" = 1.2
test "$(git log | wc -l)" -gt 3
[[ $(ls | wc -l) -gt 3 ]]
diff <(./app) golden
diff <(cat a) <(cat b)
kill $(cat pid)
grep -q x <(git log)
grep -q x <<< "$(cat f)"
sh x.sh $((1 << 2))
"#;

/// Scripts, with `~` for the end of a line: `+` tells how its commands went, `-` does not.
const SCRIPTS: &str = r#"
+ cd app~make test
+ cd app~npm ci~npm test -- --run
+ export X=1~make test
+ X=$(git rev-parse HEAD)~test -n "$X"
+ X=$(cat f | wc -l)~test "$X" -gt 3
+ X=$(make version)~test -n "$X"
+ for f in *.sh; do~  sh -n "$f"~done
+ for f in $(git ls-files '*.sh'); do bash -n "$f"; done
+ for f in a b~do~  test -f $f~  make $f~done~make all
+ for d in a b; do~  (cd $d && make test)~done
+ for d in a b; do~  for f in $d/*; do~    sh $f~  done~done
+ cat <<EOF | grep -q x~it's x; if~EOF
+ python3 - <<'EOF'~import app~assert app.x == "y"~EOF
+ ./app <<-END > out~	a | b &~	END~diff out golden
+ cat > x.py << EOF~a || b~EOF~python3 x.py
+ bash <<EOF~make test~EOF
+ set -o pipefail~make test | tail -20
+ make a &&~make b
+ cd src~make test~cd ..
+ mkdir -p tmp~cp a tmp~make -C tmp check
+ cd src~! grep -rn old_name .
+ make a || exit 1~make b
+ test "$(cat a)" = 3~make b
+ grep -q '<<' f~cd x
- cd src~! grep -rn old_name .~test -f new.txt && test -f README~ls
- cd src~! grep -rn old_name .~make test
- cd src~test -f a && test -f b~make test
- cd app~set +e~make test~true
- cd app~make serve &~curl -f localhost
- cd app~make test 2>&1 | tail -20
- cd app~make test | grep -q ok
- cd app~make test || true
- cd app~if make test; then echo ok; fi
- while read -r f; do sh $f; done < list
- case $x in a) make test;; esac
- until curl -sf localhost; do sleep 1; done
- check() {~  make $1~}~check a
- for f in *.sh; do sh $f && echo ok; done
- for f in *.sh; do sh $f || true; done
- for f in *.sh; do sh $f || continue; done
- for f in *.sh; do sh $f; done | grep -q ok
- for f in $(make list-all | sh); do sh $f; done
- for f in *.sh; do sh $f; break; done
- for f; do sh $f; done
- for f in *.sh; do sh $f; done && echo ok
- export X=$(make test)~test -n "$X"
- X=$(make test | tail -1)~test -n "$X"
- X=`make test | tail -1`~echo "$X"
- bash <<EOF~make test~true~EOF
- cat <<EOF~x
- cd app~git status
- cd app~git diff --stat
- trap 'exit 0' EXIT~make test
- > log
- make test || (echo no; exit 0)
+ > log make test
+ make test;
- grep -q ok <(make test)
- diff <(sh a.sh) <(sh b.sh)
- test "$(make count)" = "$(make other)"
- coproc make test
- grep -q ok <<< "$(make test)"
- grep -q "$(make list-all | sh)" f
- X=$(make x) sh check.sh
"#;

#[test]
fn a_pipe_throws_away_how_what_is_before_it_went() {
    let said = |line: &str| match shown(&format!("`{line}` passes")) {
        Some(Shown::NotBy(why)) => Some(why),
        Some(Shown::By { .. }) | None => None,
    };
    let lines = |all: &'static str| all.lines().filter(|line| !line.is_empty());
    let loud = lines(PIPES).filter(|line| mute(line) != Some(PIPED) || said(line) != Some(PIPED));
    assert_eq!(loud.collect::<Vec<_>>(), [""; 0]);
    let silent: Vec<_> = lines(TOLD).filter_map(|line| Some((line, mute(line)?))).collect();
    assert_eq!(silent, []);
}

#[test]
fn output_says_nothing_of_a_program_before_a_pipe() {
    for text in [
        "`make test | grep -c FAIL` returns 0",
        "`make test | grep -c ok` returns 3",
        "`make test | tail -1` prints exactly `ok`",
        "`make test | wc -l` returns 4",
        "`make test | grep FAIL` returns no matches",
        "`make test | sort` prints nothing",
        "`make test; cat log` prints nothing",
        "`git ls-files -o | sort` prints nothing",
    ] {
        let shown = shown(text);
        assert!(matches!(shown, Some(Shown::NotBy(PIPED | MUTE))), "{text}: {shown:?}");
    }
    for said in ["returns no matches", "returns nothing", "finds nothing"] {
        let text = format!("`git ls-files | xargs grep -l x` {said}");
        assert_eq!(shown(&text), Some(Shown::NotBy(HANDED)), "{text}");
    }
    for (command, said, text) in [
        ("ls src | wc -l", "returns 4", "4"),
        ("cat x | grep -c y", "returns 3", "3"),
        ("git log --oneline | head -1", "prints exactly `a fix`", "a fix"),
        ("echo $(ls | wc -l)", "prints exactly `3`", "3"),
    ] {
        let shown = shown(&format!("`{command}` {said}"));
        let expect = Expectation::Exactly { text: text.to_owned() };
        assert_eq!(shown, Some(Shown::By { command: command.to_owned(), expect }), "{command}");
    }
}

#[test]
fn scripts_show_something_if_every_command_counts() {
    let mut wrong = Vec::new();
    for row in SCRIPTS.lines().filter(|row| !row.is_empty()) {
        let (shows, script) = row.split_at(2);
        let code = format!("set -e\n{}", script.replace('~', "\n"));
        let Line { text, shown } = line(&code);
        assert!(text.contains(&code), "{row}");
        if matches!(shown, Shown::By { .. }) != (shows == "+ ") {
            wrong.push(format!("{row}: {shown:?}"));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// One way for a line of a fence and for an item that is this command alone.
#[test]
fn lines_of_fences_are_read_as_items_are() {
    for command in [
        "make test",
        "cargo test 2>&1",
        "make test 2>&1 | tail -20",
        "make lint || true",
        "npm test | tail -5",
        "make test | tee log",
        "make test; true",
        "! make test",
        "! grep -q x a",
        "git diff --stat",
        "git status",
        "cd x && make test",
        "make test &",
        "test -f",
        "cargo test <name>",
        "cat f | grep -q x",
        "make test && git diff --stat",
    ] {
        let Line { text, shown: one } = line(command);
        assert_eq!(Some(one), shown(&text), "{command}");
        assert_eq!(text, format!("`{command}`"));
    }
    // That it is a command, a fence says by itself.
    for command in ["mytool check", "check", "Foo", "[ -f x ]"] {
        let shown = Shown::By { command: command.to_owned(), expect: Expectation::Success };
        assert_eq!(line(command).shown, shown, "{command}");
    }
}

#[test]
fn comments_say_what_a_command_prints() {
    let exactly = |text: &str| Expectation::Exactly { text: text.to_owned() };
    for (code, command, expect) in [
        ("grep -c x f  # 0", "grep -c x f", exactly("0")),
        ("grep -c x f # → 0", "grep -c x f", exactly("0")),
        ("grep -c x f # -> 12", "grep -c x f", exactly("12")),
        ("grep -c x f # expect: 0", "grep -c x f", exactly("0")),
        ("grep -c x f # expected 3", "grep -c x f", exactly("3")),
        ("grep -c x f # prints 0", "grep -c x f", exactly("0")),
        ("grep -c x f # should be 3", "grep -c x f", exactly("3")),
        ("grep x a b | wc -l # 3", "grep x a b | wc -l", exactly("3")),
        ("grep x f # no matches", "grep x f", Expectation::Status { code: 1 }),
        ("gofmt -l . # prints nothing", "gofmt -l .", Expectation::Silence),
        ("make test # exits 0", "make test", Expectation::Success),
        ("make test # must pass", "make test", Expectation::Success),
        ("make test # exits with 2", "make test", Expectation::Status { code: 2 }),
        ("make test # the unit tests", "make test", Expectation::Success),
        ("grep -q '# x' f # a heading", "grep -q '# x' f", Expectation::Success),
        ("make a#b", "make a#b", Expectation::Success),
    ] {
        let shown = Shown::By { command: command.to_owned(), expect };
        assert_eq!(line(code).shown, shown, "{code}");
    }
    for code in [
        "grep -rn TODO a b | wc -l   # 0",
        "make test | grep -c FAIL # 0",
        "make test # 12 tests",
        "make test # all of them pass",
        "make test # fails for now",
        "./app x # hello: no",
        "./app x # → hello",
        "grep -c x f # at least 3",
        "grep -rc x src # 0",
        "git status # clean",
    ] {
        let shown = line(code).shown;
        assert!(matches!(shown, Shown::NotBy(_)), "{code}: {shown:?}");
    }
}
