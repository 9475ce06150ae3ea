using System.Globalization;

namespace Pipeline.Database.Json;

/// <summary>Bytes that were given as binary JSON are not what the parser writes.</summary>
public sealed class BinaryJsonCorruptException : Exception
{
    /// <summary>Makes the error.</summary>
    /// <param name="offset">Where in the document's bytes.</param>
    /// <param name="reason">What is wrong there, as a clause.</param>
    public BinaryJsonCorruptException(int offset, string reason)
        : base(string.Create(CultureInfo.InvariantCulture, $"Corrupt binary JSON at byte {offset}: {reason}."))
    {
        Offset = offset;
        Reason = reason;
    }

    /// <summary>Where in the document's bytes.</summary>
    public int Offset { get; }

    /// <summary>What is wrong there, as a clause.</summary>
    public string Reason { get; }
}
