namespace Pipeline.Yaml.Secrets;

/// <summary>Which references to secrets a reading of a file follows. Whoever runs a file's commands runs the code of the person who wrote it.</summary>
internal enum SecretSources
{
    /// <summary>Files in the configuration's folder or beneath it; all other references are left open.</summary>
    OwnFiles,

    /// <summary>Files; <c>${command:…}</c> is left open.</summary>
    Files,

    /// <summary>Files and commands.</summary>
    FilesAndCommands,
}
