namespace Pipeline.Etl.Transforms;

/// <summary>
/// A transform that is a class of your program. A task of the configuration names it (<c>class: OrderMessages</c>), and
/// a <see cref="TransformCatalog"/> registers it.
/// </summary>
/// <remarks>
/// The task runs one instance on several threads at once. It repeats runs after errors and restarts. So a transform
/// keeps no state and only sends messages. A class for several collections implements the interface once for the
/// documents of each.
/// </remarks>
/// <typeparam name="T">The class of the documents.</typeparam>
public interface IEtlTransform<T>
    where T : class
{
    /// <summary>
    /// Sends the messages of one changed document. If it throws, the task's <c>onError</c> applies; by default the
    /// document becomes a dead letter.
    /// </summary>
    /// <param name="change">The document, with the methods to load and send.</param>
    void Transform(EtlChange<T> change);
}
