using System.Globalization;
using Pipeline.Json;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Scripting.Indexes;

/// <summary>
/// Runs an index's maps and its reduce. Reusable, so that the buffers are kept between runs; by one thread at a time.
/// </summary>
/// <remarks>
/// Numbers and dates are formatted invariantly, whatever the thread's culture. A missing property is null. Null passes
/// through member access, calls, casts and arithmetic; comparisons with it are false, and conditions treat it as false.
/// An exception fails only its document. These throw: a text or object in arithmetic, a text that does not parse as the
/// number or date it should be, an index outside a text, division of whole numbers by zero, a limit, and null where a
/// .NET method refuses it.
/// </remarks>
public sealed class IndexRun
{
    private readonly IndexProgram _program;
    private readonly ScriptGuard.Run _guard = new();
    private readonly IndexEntryWriter _entries;
    private readonly IndexEntryWriter _keys;
    private readonly GroupKeyOutput _key = new();
    private readonly JsonBodyWriter _body = new();

    /// <summary>Makes a run of an index.</summary>
    /// <param name="script">The index.</param>
    /// <param name="documents">The documents for LoadDocument; if <see langword="null"/>, it finds nothing.</param>
    /// <param name="limits">The limits of the maps for each document, and of the reduce for each call.</param>
    public IndexRun(IndexScript script, IScriptDocuments? documents = null, ScriptLimits? limits = null)
    {
        ArgumentNullException.ThrowIfNull(script);
        Script = script;
        Documents = documents;
        Limits = limits ?? ScriptLimits.Default;
        _program = (IndexProgram)script.Assembly.Create();
        _entries = new IndexEntryWriter(script.Fields);
        _keys = new IndexEntryWriter([]) { Output = _key };
    }

    /// <summary>The index.</summary>
    public IndexScript Script { get; }

    /// <summary>The documents for LoadDocument.</summary>
    public IScriptDocuments? Documents { get; set; }

    /// <summary>The limits of each run.</summary>
    public ScriptLimits Limits { get; set; }

    /// <summary>
    /// The ids that the last run of the maps gave to LoadDocument, found or not, each once in the order of the first
    /// call.
    /// </summary>
    public IReadOnlyList<string> LoadedIds => _program.Loaded;

    /// <summary>Runs the maps that read the document's collection; their entries go to the output.</summary>
    /// <exception cref="ScriptRuntimeException">A map threw.</exception>
    /// <exception cref="ScriptLimitException">The document took more than <see cref="Limits"/> allows.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public void Map(in ScriptDocument document, IIndexOutput output, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(output);
        Check(reduces: false);
        _entries.Output = output;
        Map(document, query => query.WriteEntries(_entries, null), cancellationToken);
    }

    /// <summary>Runs the maps of a map-reduce index that read the document's collection.</summary>
    /// <exception cref="ScriptRuntimeException">A map threw.</exception>
    /// <exception cref="ScriptLimitException">The document took more than <see cref="Limits"/> allows.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public void Map(in ScriptDocument document, IMapOutput output, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(output);
        Check(reduces: true);
        Map(document, query => query.WriteObjects(_body, () => Mapped(output)), cancellationToken);
    }

    /// <summary>
    /// Reduces outputs of one group: of maps, or of reduces of parts of the group, in any mixture and order.
    /// </summary>
    /// <param name="inputs">
    /// The outputs, which all have the same group key; their memory must stay valid during the call.
    /// </param>
    /// <param name="output">Gets the result as an entry with its object, usually one.</param>
    /// <param name="cancellationToken">Gives it up.</param>
    /// <exception cref="ScriptRuntimeException">The reduce threw.</exception>
    /// <exception cref="ScriptLimitException">It went over <see cref="Limits"/>.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    public void Reduce(
        IReadOnlyList<BinaryJson> inputs,
        IIndexOutput output,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentNullException.ThrowIfNull(inputs);
        ArgumentNullException.ThrowIfNull(output);
        Check(reduces: true);
        _entries.Output = output;
        Run(
            () =>
            {
                var values = new ScriptValue?[inputs.Count];
                for (var i = 0; i < values.Length; i++)
                    values[i] = DocumentValue.Create(inputs[i].Root);
                _program.Results.Inputs = values;
                _program.Reduction!.WriteEntries(_entries, _body);
            },
            cancellationToken
        );
    }

    private void Map(in ScriptDocument document, Action<RepeatedQuery> run, CancellationToken cancellationToken)
    {
        var collection = document.Collection;
        var source = new IndexedDocument(document);
        Run(
            () =>
            {
                _program.Source.Current = source;
                for (var i = 0; i < Script.Maps.Count; i++)
                {
                    if (Script.Maps[i].Reads(collection))
                        run(_program.Maps[i]);
                }
            },
            cancellationToken
        );
    }

    private void Mapped(IMapOutput output)
    {
        _body.CheckLimit();
        _key.Reset();
        var json = BinaryJson.Parse(_body.Written);
        _program.Results.WriteKey!(_keys, DocumentValue.Create(json.Root));
        output.Mapped(_key.Written, _body.Written);
        _body.Reset(Limits.MaxBodyBytes);
    }

    private void Run(Action action, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var culture = CultureInfo.CurrentCulture;
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        _program.Begin(Documents);
        _entries.Limits = Limits;
        _entries.Reset();
        _body.Reset(Limits.MaxBodyBytes);
        ScriptGuard.Begin(_guard, Limits, cancellationToken);
        try
        {
            _ = _program.Reduction;
            action();
            _guard.Finish();
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            throw Script.Assembly.Locate(e, Documents);
        }
        finally
        {
            ScriptGuard.End(_guard);
            CultureInfo.CurrentCulture = culture;
            _program.Source.Current = null;
            _program.Results.Inputs = [];
            _program.Documents = null;
        }
    }

    private void Check(bool reduces)
    {
        if (Script.IsMapReduce != reduces)
        {
            throw new InvalidOperationException(
                reduces
                    ? "The index has no reduce."
                    : "The outputs of a map-reduce index are grouped: give an IMapOutput."
            );
        }
    }
}
