namespace Pipeline.CrashTests.Storage;

/// <summary>Counts the outcomes of flipped bits.</summary>
internal sealed class FlipTally
{
    /// <summary>Refused, with the page named.</summary>
    public int Pages { get; set; }

    /// <summary>Refused, with the journal file and entry named.</summary>
    public int Entries { get; set; }

    /// <summary>Proven harmless.</summary>
    public int Harmless { get; set; }

    /// <summary>In the journal's last entry, which was then taken for a torn end.</summary>
    public int LastEntry { get; set; }

    /// <summary>Looked at without being opened too.</summary>
    public int Looked { get; set; }

    public int Named => Pages + Entries;

    public override string ToString() =>
        $"{Pages} pages and {Entries} journal entries named, {Harmless} harmless, {LastEntry} in the last entry; {Looked} checked before they were opened";
}
