namespace Pipeline.Yaml.Secrets;

/// <summary>
/// Which references to secrets a reading of a file follows. Running a file's commands means running code of the file's
/// author.
/// </summary>
internal enum SecretSources
{
    /// <summary>Files in the configuration's folder or beneath it; all other references are left open.</summary>
    OwnFiles,

    /// <summary>Files; <c>${command:…}</c> is left open.</summary>
    Files,

    /// <summary>Files and commands.</summary>
    FilesAndCommands,
}
