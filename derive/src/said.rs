//! What the `serde` attributes of a type, a field or a variant say.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Expr, Ident, LitStr, Path, Result, Token};

#[derive(Default)]
pub(crate) struct Said {
    /// No field is taken that the type does not have.
    pub(crate) strict: bool,
    /// What is missing is as it is in the default of the whole.
    pub(crate) default: bool,
    pub(crate) transparent: bool,
    pub(crate) tag: Option<LitStr>,
    pub(crate) content: Option<LitStr>,
    /// The type that is read instead, and whether its value may be refused.
    pub(crate) from: Option<Path>,
    pub(crate) may_fail: bool,
    pub(crate) skip: bool,
    pub(crate) with: Option<Path>,
    pub(crate) absent: Absent,
    name: Option<LitStr>,
    aliases: Vec<String>,
    rename_all: Option<LitStr>,
}

/// What stands for a field that is not there.
#[derive(Default)]
pub(crate) enum Absent {
    #[default]
    Fault,
    Default,
    By(Expr),
}

impl Absent {
    /// The value of a field of which `found` may hold one.
    pub(crate) fn value(&self, found: &TokenStream, whole: Option<TokenStream>) -> TokenStream {
        match (self, whole) {
            (Absent::By(other), _) => quote!(#found.unwrap_or_else(#other)),
            (Absent::Default, _) => quote!(#found.unwrap_or_default()),
            (Absent::Fault, Some(whole)) => quote!(#found.unwrap_or(#whole)),
            (Absent::Fault, None) => quote!(shape::found(#found)),
        }
    }
}

impl Said {
    pub(crate) fn of(attributes: &[Attribute]) -> Result<Said> {
        let mut said = Said::default();
        for attribute in attributes.iter().filter(|one| one.path().is_ident("serde")) {
            attribute.parse_nested_meta(|meta| said.hear(&meta))?;
        }
        if said.skip && matches!(said.absent, Absent::Fault) {
            said.absent = Absent::Default;
        }
        Ok(said)
    }

    fn hear(&mut self, meta: &ParseNestedMeta) -> Result<()> {
        let name = meta.path.require_ident()?.to_string();
        let text = || meta.value()?.parse::<LitStr>();
        match name.as_str() {
            "deny_unknown_fields" => self.strict = true,
            "transparent" => self.transparent = true,
            "skip" => self.skip = true,
            "default" if meta.input.peek(Token![=]) => self.absent = Absent::By(text()?.parse()?),
            "default" => (self.absent, self.default) = (Absent::Default, true),
            "tag" => self.tag = Some(text()?),
            "content" => self.content = Some(text()?),
            "from" => self.from = Some(text()?.parse()?),
            "try_from" => (self.from, self.may_fail) = (Some(text()?.parse()?), true),
            "deserialize_with" => self.with = Some(text()?.parse()?),
            "rename" => self.name = Some(text()?),
            "alias" => self.aliases.push(text()?.value()),
            "rename_all" => self.rename_all = Some(text()?),
            "skip_serializing_if" | "serialize_with" | "into" => drop(text()?),
            _ => return Err(meta.error("not known to what is read from a tree")),
        }
        Ok(())
    }

    /// The name that is written, and others that are read as well, in the order of the alphabet.
    pub(crate) fn names(
        &self,
        own: Option<&Ident>,
        rename: impl Fn(&str) -> String,
    ) -> Vec<String> {
        let own = own.map(|name| rename(&name.unraw().to_string())).unwrap_or_default();
        let name = self.name.as_ref().map_or(own, LitStr::value);
        let mut names = [vec![name], self.aliases.clone()].concat();
        names.sort();
        names
    }

    /// A name in the spelling that is said for all of them.
    pub(crate) fn rename(&self, name: &str, variant: bool) -> String {
        match (self.rename_all.as_ref().map(LitStr::value).as_deref(), variant) {
            (Some("snake_case"), true) => snake(name),
            (Some("camelCase"), false) => camel(name),
            _ => name.to_owned(),
        }
    }
}

fn snake(name: &str) -> String {
    let mut text = String::new();
    for (place, letter) in name.char_indices() {
        if place > 0 && letter.is_uppercase() {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |text, word| {
        let (head, tail) = word.split_at(usize::from(!word.is_empty()));
        text + &head.to_uppercase() + tail
    })
}
