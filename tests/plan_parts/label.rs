use endstate::plan::label::*;

#[test]
fn headings_of_sprints() {
    for (heading, expected) in [
        ("Sprint 3: Greet", Some(("3", "Greet"))),
        ("Sprint 3 — Greet", Some(("3", "Greet"))),
        ("Sortie DC-2a: x", Some(("DC-2a", "x"))),
        ("✅ Sortie B9 – x", Some(("B9", "x"))),
        ("[x] sprint 2a: x", Some(("2a", "x"))),
        ("**Sprint 1.2**: x", Some(("1.2", "x"))),
        ("**Sprint 7: bold**", Some(("7", "bold"))),
        ("**Sprint 7**: **bold**", Some(("7", "bold"))),
        ("**~~Sprint 7: gone~~**", Some(("7", "gone"))),
        ("[ ] __Sprint 7__", Some(("7", ""))),
        ("Sprint #4: x", Some(("4", "x"))),
        ("Sprint 4. x", Some(("4", "x"))),
        ("Sprint 5", Some(("5", ""))),
        ("Sprint 6 (Layer 1): x", Some(("6", "(Layer 1): x"))),
        ("Sprint 0 - Recon", Some(("0", "Recon"))),
        ("Sprint Ordering", None),
        ("Sprint Dependencies", None),
        ("Sprints 1-3: all", None),
        ("Sprint 1-3: all", None),
        ("Sprint 1 exit criteria", None),
        ("Sprinting 3: x", None),
        ("Sprint", None),
    ] {
        let read = match headed(heading, &["sprint", "sortie"]) {
            Headed::Sprint { label, name, .. } => Some((label, name)),
            _ => None,
        };
        assert_eq!(read, expected, "{heading}");
    }
    assert_eq!(headed("Sprint Two: x", &["sprint"]), Headed::Odd);
    assert_eq!(headed("Sprint: x", &["sprint"]), Headed::Odd);
    assert_eq!(headed("Sprint Ordering", &["sprint"]), Headed::About);
    assert_eq!(headed("Sprint: Overview", &["sprint"]), Headed::Odd);
    assert!(is_range("–15: x") && is_range(" – 15") && !is_range(" — 3 things"));
    assert!(is_deferred("~~Move~~ — **DEFERRED**") && !is_deferred("Handle deferred items"));
    for (name, off) in [
        ("c (deferred)", true),
        ("c (Deferred to v2)", true),
        ("c — deferred", true),
        ("c - skipped", true),
        ("[skipped]", true),
        ("Clean up — removed files", false),
        ("Clean up (removed files)", false),
        ("The (deferred) queue", false),
        ("deferred", false),
    ] {
        assert_eq!(is_deferred(name), off, "{name}");
    }
}

#[test]
fn keys_of_units() {
    for (name, key) in [
        ("WU1: CDN mutation library (SigV4)", "wu1"),
        ("WU-A SwiftAcervo (oracle + marker)", "wua"),
        ("Work Unit A — SwiftAcervo", "wua"),
        ("Work Unit: validity-oracle (Layer 1)", "validity-oracle"),
        ("Work Unit 1 — Resumable", "wu1"),
        ("Core API", "core-api"),
        ("Search & Fuzzy", "search-fuzzy"),
        ("Unit tests", "unit-tests"),
        ("`slug-registry`", "slug-registry"),
        ("…", "unit"),
    ] {
        assert_eq!(unit_key(name), key, "{name}");
    }
}
