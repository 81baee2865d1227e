use endstate::plan::yaml::*;
use endstate::vocab::error::Code;

fn fault(text: &str) -> (Code, String) {
    let error = mapping(text, 1).unwrap_err();
    (error.code, error.at)
}

#[test]
fn faults_have_their_line() {
    let (code, at) = fault("a: 1\nb: 2\na: 3\n");
    assert_eq!((code, at.starts_with("line 3")), (Code::DuplicateField, true), "{at}");
    assert_eq!(fault("a: 1\nb: \0\n"), (Code::InvalidValue, "line 2".to_owned()));
    assert_eq!(fault("- a\n").0, Code::WrongType);
    assert_eq!(fault("a: [1\nb: 2\n").0, Code::Syntax);
    assert_eq!(fault(&"a: ".repeat(MOST_YAML)).0, Code::TooLarge);
    assert_eq!(fault(&format!("a: {}{}", "[".repeat(40), "]".repeat(40))).0, Code::TooDeep);
    assert_eq!(mapping("a: b: c", 7).unwrap_err().at.split(' ').nth(1), Some("7"));
}

#[test]
fn references_are_bounded() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..9 {
        let all = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{all}]\n"));
    }
    assert!(mapping(&bomb, 1).is_err());
    assert_eq!(mapping("a: &x 1\nb: *x\n", 1).unwrap()["b"], 1);
}

#[test]
fn scalars_stay_as_they_are_written() {
    let text = "a: [01, 08, 1.10, 12e4567, 0012345, y, no, 7, true, ~, '7']\nphase: 02\nb: {c: 1234e56, d: &x 010, e: *x}\n";
    let map = written(text, 1).unwrap();
    let list = serde_json::json!([
        "01", "08", "1.10", "12e4567", "0012345", "y", "no", 7, true, null, "7"
    ]);
    assert_eq!((&map["a"], &map["phase"]), (&list, &serde_json::json!("02")));
    assert_eq!(map["b"], serde_json::json!({"c": "1234e56", "d": "010", "e": "010"}));
}

#[test]
fn fields_name_their_place() {
    let map = mapping("id: 7\nrate: 1.50\nlist: [a, 2, [b]]\nnone: ~\nflag: yes\n", 1).unwrap();
    let fields = Fields::new(&map, "top");
    assert_eq!(fields.text("id").unwrap().as_deref(), Some("7"));
    assert_eq!(fields.text("none").unwrap(), None);
    assert_eq!(fields.text("rate").unwrap_err().at, "top.rate");
    assert_eq!(fields.texts("list").unwrap_err().at, "top.list[2]");
    assert_eq!(fields.required("none").unwrap_err().code, Code::MissingField);
    assert_eq!(fields.number("id", 0, 6).unwrap_err().code, Code::NumberOutOfRange);
    let others: Vec<_> = fields.others(&["id", "rate", "list", "none"]).collect();
    assert_eq!(others, ["top.flag"]);
}
