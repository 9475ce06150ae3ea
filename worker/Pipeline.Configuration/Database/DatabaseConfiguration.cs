using Pipeline.Storage;
using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>The block <c>database</c>.</summary>
public sealed class DatabaseConfiguration
{
    /// <summary>The database's name.</summary>
    [Setting("Name of the database: letters, digits, '-', '_' and '.'.", Required = true)]
    public string Name { get; init; } = "";

    /// <summary>The data folder; absolute after loading.</summary>
    [Setting("Folder of the data, relative to this file. Created if it does not exist.", Required = true)]
    public string Path { get; internal set; } = "";

    /// <summary>
    /// The folder of the journal; absolute after loading, empty if the journal is in the data folder.
    /// </summary>
    [Setting(
        "Folder of the journal, relative to this file, such as one on another device. 'journal' in the data folder by default. To change it, stop the worker and move the files."
    )]
    public string JournalPath { get; internal set; } = "";

    /// <summary>Whether large entries of the journal are compressed.</summary>
    [Setting(
        "Compression of the journal's large entries: 'auto' compresses while that saves time, 'on' always, 'off' never. Needs libzstd."
    )]
    public JournalCompression JournalCompression { get; init; } = JournalCompression.Auto;

    /// <summary>The most bytes of journal that are kept for backups and for copies to other nodes.</summary>
    [Setting(
        "Most bytes of journal to keep for the next incremental backup and for a copy to another node. Over this limit, the next backup is full and the copy starts again. 4 GiB by default.",
        Minimum = 67108864
    )]
    public long KeptJournalBytes { get; init; } = 4L << 30;

    /// <summary>Whether documents are stored compressed.</summary>
    [Setting(
        "Whether documents are stored compressed, with a dictionary for each collection. Needs libzstd. Off by default. Existing documents are not converted."
    )]
    public bool Compress { get; init; }

    /// <summary>Encryption at rest, or <see langword="null"/> if the data is not encrypted.</summary>
    [Setting("Encryption at rest, set when the database is created; give one of the keys below.")]
    public EncryptionConfiguration? Encryption { get; init; }

    /// <summary>Revisions; <see langword="null"/> keeps the last setting of the database.</summary>
    [Setting(
        "Which former versions of documents are kept. The database stores this setting: without the block the last one stays in force; an empty block keeps none."
    )]
    public RevisionsConfiguration? Revisions { get; init; }

    /// <summary>
    /// Expiration and refresh of documents by their metadata; <see langword="null"/> keeps the last setting of the
    /// database.
    /// </summary>
    [Setting(
        "Deletion and refresh of documents at a time in their metadata. The database stores this setting: without the block the last one stays in force; an empty block turns both off."
    )]
    public ExpirationSettings? Expiration { get; init; }

    /// <summary>Whether documents keep the trace of their write.</summary>
    [Setting(
        "Whether a document's metadata keeps the trace of its write (W3C traceparent of the request or activity). Its messages then continue that trace. Off by default."
    )]
    public bool KeepTraces { get; init; }

    /// <summary>The verification in the background.</summary>
    [Setting("Verification of all pages of the data file in the background, while a worker runs.")]
    public ScrubConfiguration Scrub { get; init; } = new();
}
