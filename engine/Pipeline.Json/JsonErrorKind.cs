namespace Pipeline.Json;

/// <summary>Why a text was refused as JSON.</summary>
public enum JsonErrorKind
{
    /// <summary>A byte that the grammar does not allow at its place.</summary>
    UnexpectedByte = 0,

    /// <summary>The text ends within a value.</summary>
    UnexpectedEnd,

    /// <summary>Something other than white space follows the value.</summary>
    TrailingData,

    /// <summary>The bytes are not UTF-8.</summary>
    InvalidUtf8,

    /// <summary>
    /// A number that JSON does not allow: a leading zero or plus sign, a point or exponent without digits.
    /// </summary>
    InvalidNumber,

    /// <summary>An unknown escape, half a surrogate pair, or a bare control character in a string.</summary>
    InvalidString,

    /// <summary>An object that has a property name twice.</summary>
    DuplicateName,

    /// <summary>More nested arrays and objects than <see cref="JsonLimits.MaxDepth"/>.</summary>
    TooDeep,

    /// <summary>More bytes than <see cref="JsonLimits.MaxBytes"/>.</summary>
    TooLarge,

    /// <summary>JSON, but not a document: the value is not an object, or its <c>@metadata</c> is invalid.</summary>
    NotADocument,
}
