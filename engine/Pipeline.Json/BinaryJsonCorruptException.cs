using System.Globalization;

namespace Pipeline.Json;

/// <summary>Bytes given as binary JSON cannot come from the parser.</summary>
public sealed class BinaryJsonCorruptException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="offset">Where in the document's bytes.</param>
    /// <param name="reason">The problem, as a clause.</param>
    public BinaryJsonCorruptException(int offset, string reason)
        : base(string.Create(CultureInfo.InvariantCulture, $"Corrupt binary JSON at byte {offset}: {reason}."))
    {
        Offset = offset;
        Reason = reason;
    }

    /// <summary>Where in the document's bytes.</summary>
    public int Offset { get; }

    /// <summary>The problem, as a clause.</summary>
    public string Reason { get; }
}
