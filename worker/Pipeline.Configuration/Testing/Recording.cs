using System.Text;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Transforms;
using Pipeline.Scripting;
using Pipeline.Yaml;
using Pipeline.Yaml.Files;

namespace Pipeline.Configuration.Testing;

/// <summary>
/// Cases that are being added to a configuration file, or to a separate file. Nothing is written before
/// <see cref="Save"/>. For one thread.
/// </summary>
internal sealed class Recording
{
    private readonly string _file;
    private readonly string? _task;
    private readonly string? _target;
    private readonly IVariableSource _variables;
    private readonly ConnectorCatalog _catalog;
    private readonly PipelineConfiguration _configuration;
    private readonly Dictionary<string, TransformScript> _scripts = new(StringComparer.Ordinal);
    private readonly string _before;
    private string _text;
    private int _cases;
    private int _known;

    /// <summary>Reads the configuration and compiles the transforms.</summary>
    /// <param name="file">The configuration file.</param>
    /// <param name="variables">Gives the values of <c>${VAR}</c>.</param>
    /// <param name="task">The task to record for, or <see langword="null"/> for all.</param>
    /// <param name="target">The separate file; <see langword="null"/> for the configuration file.</param>
    /// <param name="catalog">
    /// The connector kinds; <see cref="ConnectorCatalog.BuiltIn"/> if <see langword="null"/>.
    /// </param>
    /// <exception cref="ConfigurationException">The configuration has faults.</exception>
    public Recording(string file, IVariableSource variables, string? task, string? target, ConnectorCatalog? catalog)
    {
        (_file, _task, _target, _variables) = (file, task, target, variables);
        _catalog = catalog ?? ConnectorCatalog.BuiltIn;
        _text = _before = File.Exists(Target) ? File.ReadAllText(Target) : "";
        _configuration = PipelineConfiguration.LoadForTests(file, variables, _catalog, Separate(_before));
        Tasks = [.. _configuration.Etl.Where(t => task is null || t.Name == task)];
        var diagnostics = new List<Diagnostic>();
        foreach (var one in Tasks)
        {
            _scripts[one.Name] =
                TransformCompiler.Compile(one, diagnostics)
                ?? throw new ConfigurationException(ConfigurationFile.Order(diagnostics));
        }
    }

    /// <summary>The configuration, before the cases are added.</summary>
    public PipelineConfiguration Configuration => _configuration;

    /// <summary>The tasks to record for.</summary>
    public IReadOnlyList<EtlTaskConfiguration> Tasks { get; }

    private string Target => _target ?? _file;

    /// <summary>A task's transform.</summary>
    public TransformScript ScriptOf(EtlTaskConfiguration task) => _scripts[task.Name];

    /// <summary>Adds the cases whose names the task does not have.</summary>
    /// <exception cref="RecordingException">The cases cannot be put into the file.</exception>
    public void Add(EtlTaskConfiguration task, IEnumerable<RecordedCase> cases)
    {
        var place = _target is null ? CaseFile.Find(_file, _text, task.Name) : null;
        var names = new HashSet<string>(task.Tests.Select(t => t.Name), StringComparer.Ordinal);
        var written = new StringBuilder();
        foreach (var one in cases)
        {
            if (!names.Add(one.Name))
            {
                _known++;
                continue;
            }

            Indent(written, one.Write(), place?.Indent ?? 0);
            _cases++;
        }

        if (written.Length == 0)
            return;
        _text = place is null
            ? (_text.Length == 0 || _text.EndsWith('\n') ? _text : _text + "\n") + written
            : CaseFile.Insert(_text, place, written.ToString());
    }

    /// <summary>Runs the new cases, and replaces the file as a whole if they pass.</summary>
    /// <exception cref="RecordingException">A new case fails, or the file would have a fault.</exception>
    public RecordedCases Save(CancellationToken cancellationToken)
    {
        if (_cases > 0)
        {
            new RecordingCheck(_configuration, _scripts, _variables, _catalog).Run(
                _target is null ? _text : File.ReadAllText(_file),
                Separate(_before),
                Separate(_text),
                _cases,
                cancellationToken
            );
            Replace(Target, _text);
        }

        return new RecordedCases(_cases, _known, Target);
    }

    private TestFileText? Separate(string content) =>
        _target is null ? null : new TestFileText(_task!, Path.GetFullPath(_target), content);

    private static void Indent(StringBuilder target, string text, int indent)
    {
        foreach (var line in text.AsSpan().TrimEnd('\n').EnumerateLines())
            target.Append(' ', indent).Append(line).Append('\n');
    }

    // Replaces the target of a link, not the link. The new file keeps the permissions of the old one.
    private static void Replace(string path, string text)
    {
        string final =
                (File.Exists(path) ? File.ResolveLinkTarget(path, returnFinalTarget: true)?.FullName : null) ?? path,
            next = final + ".new";
        File.Delete(next);
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
        UnixFileMode? mode = !OperatingSystem.IsWindows() && File.Exists(final) ? File.GetUnixFileMode(final) : null;
        if (!OperatingSystem.IsWindows() && mode is { } least)
            options.UnixCreateMode = least;
        try
        {
            using (var writer = new StreamWriter(next, options))
                writer.Write(text);
            if (!OperatingSystem.IsWindows() && mode is { } same)
                File.SetUnixFileMode(next, same);
            File.Move(next, final, overwrite: true);
        }
        catch
        {
            File.Delete(next);
            throw;
        }
    }
}
