using Pipeline.Etl.Connectors;
using Pipeline.Storage;

namespace Pipeline.Etl.Configuration;

/// <summary>The block <c>database</c>.</summary>
public sealed class DatabaseConfiguration
{
    /// <summary>The database's name.</summary>
    [Setting("Name of the database: letters, digits, '-', '_' and '.'.", Required = true)]
    public string Name { get; init; } = "";

    /// <summary>The data folder; absolute after loading.</summary>
    [Setting("Folder of the data, relative to this file. Made where it is missing.", Required = true)]
    public string Path { get; internal set; } = "";

    /// <summary>The folder of the journal; absolute after loading, empty if the journal is in the data folder.</summary>
    [Setting("Folder of the journal, relative to this file, such as one on another device. 'journal' in the data folder by default. To change it, stop the worker and move the files.")]
    public string JournalPath { get; internal set; } = "";

    /// <summary>Whether large entries of the journal are compressed.</summary>
    [Setting("Compression of the journal's large entries: 'auto' does it as long as it saves time, 'on' always, 'off' never. Needs libzstd.")]
    public JournalCompression JournalCompression { get; init; } = JournalCompression.Auto;

    /// <summary>Whether documents are stored compressed.</summary>
    [Setting("Store documents compressed, with a dictionary for each collection. Needs libzstd. Off by default; documents that are there stay as they are.")]
    public bool Compress { get; init; }

    /// <summary>Encryption at rest, or <see langword="null"/> if the data is not encrypted.</summary>
    [Setting("Encryption at rest, from the making of the database on; one of the keys below.")]
    public EncryptionConfiguration? Encryption { get; init; }

    /// <summary>Revisions; <see langword="null"/> keeps the last setting of the database.</summary>
    [Setting("Former versions of documents that are kept. The database remembers this: without the block it goes on as it was told last; an empty block keeps none.")]
    public RevisionsConfiguration? Revisions { get; init; }

    /// <summary>Expiration and refresh of documents by their metadata; <see langword="null"/> keeps the last setting of the database.</summary>
    [Setting("Documents that are deleted or refreshed at a time in their metadata. The database remembers this: without the block it goes on as it was told last; an empty block does neither.")]
    public ExpirationSettings? Expiration { get; init; }

    /// <summary>Whether documents keep the trace of their write.</summary>
    [Setting("Whether a document keeps the trace that it was written in (W3C traceparent of the request or activity) in its metadata, so that messages made of it carry it on. Off by default.")]
    public bool KeepTraces { get; init; }

    /// <summary>The verification in the background.</summary>
    [Setting("Verification of all pages of the data file in the background, while a worker runs.")]
    public ScrubConfiguration Scrub { get; init; } = new();
}
