using Pipeline.Yaml;

namespace Pipeline.Etl.Connectors.Files;

/// <summary>Options of the kind <c>files</c>.</summary>
public sealed class FilesOptions
{
    /// <summary>The folder.</summary>
    [Setting("Folder of the files, relative to the configuration file. Created if it does not exist.")]
    public string Directory { get; init; } = "./out";

    /// <summary>Whether a missing folder or file is made.</summary>
    [Setting(
        "Whether missing files and the folder are created. If not, a message to a missing file becomes a dead letter."
    )]
    public bool Create { get; init; } = true;

    /// <summary>Largest message.</summary>
    [Setting("Largest body of a message; a larger message becomes a dead letter.", Minimum = 1, Maximum = 1 << 30)]
    public long MaxMessageBytes { get; init; } = 64L << 20;
}
