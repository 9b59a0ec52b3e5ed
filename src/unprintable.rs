//! The compile-time check that secrets and personal data cannot be printed or serialised by accident.

/// Fails to compile when one of the types implements `Debug`, `Display` or `Serialize`.
///
/// For a type that implements the trait, both blanket implementations below apply and the call is
/// ambiguous; for one that does not, only the first applies.
macro_rules! unprintable {
    ($($kind:ty),+ $(,)?) => { $(
        $crate::unprintable::lacks!($kind, std::fmt::Debug);
        $crate::unprintable::lacks!($kind, std::fmt::Display);
        $crate::unprintable::lacks!($kind, serde::Serialize);
    )+ };
}

/// Fails to compile when the type implements the trait.
macro_rules! lacks {
    ($kind:ty, $unwanted:path) => {
        const _: fn() = || {
            trait Ambiguous<Which> {
                fn probe() {}
            }
            struct Implemented;
            impl<T: ?Sized> Ambiguous<()> for T {}
            impl<T: ?Sized + $unwanted> Ambiguous<Implemented> for T {}
            let _ = <$kind as Ambiguous<_>>::probe;
        };
    };
}

pub(crate) use lacks;
pub(crate) use unprintable;
