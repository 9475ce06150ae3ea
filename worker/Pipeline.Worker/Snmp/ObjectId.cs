using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Pipeline.Worker.Snmp;

/// <summary>An object identifier of SNMP. Identifiers are ordered number by number, not as text.</summary>
internal sealed class ObjectId
{
    /// <summary>The most numbers that SNMP allows (RFC 2578, section 3.5).</summary>
    public const int MaxNumbers = 128;

    private readonly uint[] _numbers;

    private ObjectId(uint[] numbers) => _numbers = numbers;

    /// <summary>How many numbers it has.</summary>
    public int Length => _numbers.Length;

    /// <summary>Reads numbers with dots between them; a dot may precede the first.</summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out ObjectId? id)
    {
        id = null;
        var parts = (text.StartsWith('.') ? text[1..] : text).Split('.');
        if (parts.Length > MaxNumbers)
            return false;
        var numbers = new uint[parts.Length];
        for (var i = 0; i < parts.Length; i++)
        {
            if (!uint.TryParse(parts[i], NumberStyles.None, CultureInfo.InvariantCulture, out numbers[i]))
                return false;
        }

        id = new ObjectId(numbers);
        return true;
    }

    /// <summary>The identifier below this one.</summary>
    public ObjectId Below(params ReadOnlySpan<uint> numbers) => new([.. _numbers, .. numbers]);

    /// <summary>Whether it begins with all numbers of another one.</summary>
    public bool IsBelow(ObjectId other) => _numbers.AsSpan().StartsWith(other._numbers);

    /// <summary>Negative if it comes before the other one, 0 if they are equal, positive if it comes after.</summary>
    public int CompareWith(ObjectId other) => _numbers.AsSpan().SequenceCompareTo(other._numbers);

    /// <summary>The numbers from a place on, separated by a text.</summary>
    public string Join(int from, string separator) =>
        string.Join(separator, _numbers.Skip(from).Select(n => n.ToString(CultureInfo.InvariantCulture)));

    /// <summary>As net-snmp writes it, with a dot before the first number.</summary>
    public override string ToString() => "." + Join(0, ".");
}
