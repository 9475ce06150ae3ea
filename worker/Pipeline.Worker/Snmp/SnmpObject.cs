namespace Pipeline.Worker.Snmp;

/// <summary>How a value is written in the MIB and in the protocol.</summary>
internal enum SnmpSyntax
{
    /// <summary>Text in UTF-8, of at most <see cref="SnmpText.MaxOctets"/> octets.</summary>
    Text,

    /// <summary>A whole number that stays at its maximum above 32 bits.</summary>
    Gauge,

    /// <summary>A total of 64 bits.</summary>
    Counter,

    /// <summary>Hundredths of a second.</summary>
    Ticks,

    /// <summary>1 for true, 2 for false.</summary>
    Truth,

    /// <summary>One of several words, numbered from 1.</summary>
    Word,
}

/// <summary>A scalar or column of the MIB.</summary>
/// <param name="Number">Its number within its group. A number is never given to another object.</param>
/// <param name="Name">Its name in the MIB.</param>
/// <param name="Syntax">How its values are written.</param>
/// <param name="Words">The words of <see cref="SnmpSyntax.Word"/>, in the order of their numbers.</param>
internal sealed record SnmpObject(uint Number, string Name, SnmpSyntax Syntax, IReadOnlyList<string> Words);

/// <summary>A value that the agent has.</summary>
/// <param name="Id">Its identifier.</param>
/// <param name="Type">Its type, as <c>pass_persist</c> names it.</param>
/// <param name="Text">The value, on one line.</param>
internal sealed record SnmpValue(ObjectId Id, string Type, string Text);
