//! `derive(Readable)`: how a type is read from a tree of JSON (`vocab/json/read.rs`), by what its `serde` attributes say.
//!
//! What serde derives is compiled for each type with all that reading is. What is derived here are tables of names, and calls.

mod said;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use said::{Absent, Said};
use syn::{Data, DeriveInput, Error, Fields, FieldsNamed, Result, Variant, parse_quote};

/// A type is read as serde would, by the attributes that are used here; any other is refused.
#[proc_macro_derive(Readable, attributes(serde))]
pub fn readable(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    whole(&input).unwrap_or_else(Error::into_compile_error).into()
}

fn whole(input: &DeriveInput) -> Result<TokenStream> {
    let said = Said::of(&input.attrs)?;
    let body = match (&said.from, &input.data) {
        (Some(other), _) => from(other, said.may_fail),
        (None, Data::Struct(data)) => structure(&data.fields, &said)?,
        (None, Data::Enum(data)) => choice(&data.variants.iter().collect::<Vec<_>>(), &said)?,
        (None, Data::Union(_)) => return Err(Error::new_spanned(input, "no union can be read")),
    };
    let name = &input.ident;
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(::endstate::vocab::json::Readable));
    }
    let mut with_source = generics.clone();
    with_source.params.insert(0, parse_quote!('de));
    let (own, of, when) = generics.split_for_impl();
    let (all, ..) = with_source.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #own ::endstate::vocab::json::Readable for #name #of #when {
            #body
        }

        #[automatically_derived]
        impl #all ::serde::Deserialize<'de> for #name #of #when {
            fn deserialize<D: ::serde::Deserializer<'de>>(from: D) -> ::core::result::Result<Self, D::Error> {
                ::endstate::vocab::json::read_from(from)
            }
        }
    })
}

/// The function that reads, of its body.
fn reader(body: &TokenStream) -> TokenStream {
    quote! {
        fn read(
            node: ::endstate::vocab::json::Node<'_>,
        ) -> ::core::result::Result<Self, ::endstate::vocab::json::Fault> {
            use ::endstate::vocab::json::{Readable, shape};
            #body
        }
    }
}

fn from(other: &syn::Path, may_fail: bool) -> TokenStream {
    reader(&match may_fail {
        true => quote!(<#other as Readable>::read(node)?.try_into().map_err(shape::refused)),
        false => quote!(Ok(<#other as Readable>::read(node)?.into())),
    })
}

fn structure(fields: &Fields, said: &Said) -> Result<TokenStream> {
    match fields {
        Fields::Named(fields) if said.transparent => transparent(fields),
        Fields::Named(fields) => named(fields, said, &quote!(Self), &quote!(node)).map(|all| {
            let default = said
                .default
                .then(|| quote!(let default = <Self as ::core::default::Default>::default();));
            reader(&quote!(#default Ok(#all)))
        }),
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            Ok(through(&|inner| quote!(Self(#inner)), said.transparent))
        }
        other => Err(Error::new_spanned(other, "only named fields, or one value, can be read")),
    }
}

/// A type that is read as the one value it holds is.
fn transparent(fields: &FieldsNamed) -> Result<TokenStream> {
    let mut all = Vec::new();
    for field in &fields.named {
        let said = Said::of(&field.attrs)?;
        all.push((&field.ident, said.skip.then(|| said.absent.value(&quote!(None), None))));
    }
    let build = |inner: TokenStream| {
        let each = all.iter().map(|(name, skipped)| match skipped {
            Some(value) => quote!(#name: #value),
            None => quote!(#name: #inner),
        });
        quote!(Self { #(#each),* })
    };
    Ok(through(&build, true))
}

fn through(build: &dyn Fn(TokenStream) -> TokenStream, transparent: bool) -> TokenStream {
    let (value, key) = (build(quote!(Readable::read(node)?)), build(quote!(Readable::key(name)?)));
    let read = reader(&quote!(Ok(#value)));
    let absent = build(quote!(Readable::absent(name)?));
    let absent = transparent.then(|| {
        quote! {
            fn absent(name: &'static str) -> ::core::result::Result<Self, ::endstate::vocab::json::Fault> {
                use ::endstate::vocab::json::Readable;
                Ok(#absent)
            }
        }
    });
    quote! {
        #read
        fn key(
            name: ::std::borrow::Cow<'_, str>,
        ) -> ::core::result::Result<Self, ::endstate::vocab::json::Fault> {
            use ::endstate::vocab::json::Readable;
            Ok(#key)
        }
        #absent
    }
}

/// The value `path` of fields with names, read from `node`.
fn named(
    fields: &FieldsNamed,
    container: &Said,
    path: &TokenStream,
    node: &TokenStream,
) -> Result<TokenStream> {
    let (mut names, mut places, mut must) = (Vec::new(), Vec::new(), 0_u64);
    let (mut slots, mut fills, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for field in &fields.named {
        let (said, name, kind) = (Said::of(&field.attrs)?, &field.ident, &field.ty);
        let default = container.default.then(|| quote!(default.#name));
        if said.skip {
            let value = said.absent.value(&quote!(None), default);
            values.push(quote!(#name: #value));
            continue;
        }
        let place = u8::try_from(fills.len()).ok().filter(|place| *place < 64);
        let place = place.ok_or_else(|| Error::new_spanned(field, "more than 64 fields"))?;
        names.extend(said.names(name.as_ref(), |name| container.rename(name, false)));
        places.resize(names.len(), place);
        must |= u64::from(matches!(said.absent, Absent::Fault) && default.is_none()) << place;
        let slot = format_ident!("field_{place}");
        let (empty, found) = match &said.with {
            Some(with) => {
                (quote!(shape::With<#kind> = shape::With::new(#with)), quote!(#slot.value))
            }
            None => (quote!(Option<#kind> = None), slot.to_token_stream()),
        };
        let value = said.absent.value(&found, default);
        slots.push(quote!(let mut #slot: #empty;));
        fills.push(quote!(&mut #slot));
        values.push(quote!(#name: #value));
    }
    let strict = container.strict;
    Ok(quote! {{
        const SHAPE: &shape::Shape = &shape::Shape {
            names: &[#(#names),*], places: &[#(#places),*], must: #must, strict: #strict,
        };
        #(#slots)*
        SHAPE.read(#node, &mut [#(#fills),*])?;
        #path { #(#values),* }
    }})
}

fn choice(variants: &[&Variant], said: &Said) -> Result<TokenStream> {
    let mut words = Vec::new();
    for variant in variants {
        let own = Said::of(&variant.attrs)?;
        let mut names = own.names(Some(&variant.ident), |name| said.rename(name, true));
        if names.len() > 1 {
            return Err(Error::new_spanned(variant, "a variant has one name"));
        }
        words.append(&mut names);
    }
    let words = quote!(&[#(#words),*]);
    let arms = |value: &dyn Fn(&Variant) -> Result<TokenStream>| -> Result<Vec<TokenStream>> {
        let arm = |(place, variant): (usize, &&Variant)| {
            let which = if place + 1 == variants.len() { quote!(_) } else { quote!(#place) };
            value(variant).map(|value| quote!(#which => #value))
        };
        variants.iter().enumerate().map(arm).collect()
    };
    if said.tag.is_none() && variants.iter().all(|one| matches!(one.fields, Fields::Unit)) {
        let arms = arms(&|variant| {
            let name = &variant.ident;
            Ok(quote!(Self::#name))
        })?;
        return Ok(reader(&quote!(Ok(match shape::word(node, #words)? { #(#arms),* }))));
    }
    let arms = arms(&|variant| held(variant, said))?;
    let told = match (&said.tag, &said.content) {
        (None, _) => quote!(Alone),
        (Some(tag), None) => quote!(Beside(#tag)),
        (Some(tag), Some(content)) => {
            let strict = said.strict;
            quote!(Apart { names: &[#tag, #content], strict: #strict })
        }
    };
    Ok(reader(&quote! {
        let mut read = None;
        shape::Told::#told.read(node, #words, &mut |variant, content| {
            read = Some(match variant { #(#arms),* });
            Ok(())
        })?;
        Ok(shape::found(read))
    }))
}

/// A variant with what it holds, read from `content`.
fn held(variant: &Variant, container: &Said) -> Result<TokenStream> {
    let name = &variant.ident;
    match &variant.fields {
        Fields::Unit => Ok(quote!({ content.nothing()?; Self::#name })),
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            Ok(quote!(Self::#name(Readable::read(content.node()?)?)))
        }
        Fields::Named(fields) => {
            // What is said of the whole is said of the names of variants, not of their fields.
            let mut of_fields = Said::default();
            of_fields.strict = container.strict;
            named(fields, &of_fields, &quote!(Self::#name), &quote!(content.node()?))
        }
        other => Err(Error::new_spanned(other, "a variant holds named fields, or one value")),
    }
}
